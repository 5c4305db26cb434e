"""Gets one URL by one Python library, through the proxy and with the authorities that the environment names."""

import asyncio
import os
import ssl
import sys

library, url = sys.argv[1:]

if library == "requests":
    import requests

    print(requests.get(url, timeout=30).text)
elif library == "httpx":
    import httpx

    print(httpx.get(url, timeout=30).text)
else:
    import aiohttp

    async def main():
        context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
        async with aiohttp.ClientSession(trust_env=True, timeout=aiohttp.ClientTimeout(30)) as session:
            async with session.get(url, ssl=context) as answer:
                print(await answer.text())

    asyncio.run(main())
