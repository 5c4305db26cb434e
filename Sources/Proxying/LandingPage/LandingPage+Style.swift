/// How the page looks.
extension LandingPage {
    /// The logo: two bars in a ring, in the colour of the text.
    static let mark = """
        <svg viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" fill="none" stroke="currentColor" \
        stroke-width="3" stroke-linecap="round"><path d="M27.5 11.6A12.5 12.5 0 1 1 20.4 4.3"/>\
        <path d="M12.5 11.5v9M19.5 11.5v9"/></svg>
        """

    /// The logo as the data of a `data:` URI.
    static let icon = """
        %3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='%230e7a68' stroke-width='3.5' \
        stroke-linecap='round'%3E%3Cpath d='M27.5 11.6A12.5 12.5 0 1 1 20.4 4.3M12.5 11.5v9M19.5 11.5v9'/%3E%3C/svg%3E
        """

    static let style = """
        :root {
          color-scheme: light dark;
          --paper: #f6f5f1; --panel: #ffffff; --ink: #1b2523; --quiet: #55625e; --line: #dcdad2;
          --accent: #0b6b5b; --code: #eef1ec; --badge: #7a4a00; --badge-paper: #fbeed6;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #111816; --panel: #18211e; --ink: #e4ebe7; --quiet: #9fb0aa; --line: #2c3834;
            --accent: #6fd6c0; --code: #0d1412; --badge: #f3cd86; --badge-paper: #3a2d12;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; max-width: 76rem; padding: clamp(1.25rem, 4vw, 4rem) clamp(1rem, 4vw, 3rem);
          background: var(--paper); color: var(--ink);
          font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        header { max-width: 46rem; margin-bottom: clamp(1.75rem, 4vw, 3.25rem); }
        .brand { display: flex; align-items: center; gap: .6rem; margin: 0; color: var(--accent); }
        .brand span { font-weight: 650; font-size: 1.15rem; letter-spacing: .01em; }
        h1 { margin: 1.1rem 0 .7rem; font-size: clamp(1.75rem, 5vw, 2.75rem); line-height: 1.12;
          letter-spacing: -.02em; font-weight: 680; text-wrap: balance; }
        h2 { margin: 0 0 .9rem; font-size: 1.15rem; line-height: 1.3; font-weight: 650; }
        p { margin: 0 0 .8rem; }
        .lead { font-size: 1.1rem; color: var(--quiet); margin: 0; }
        main { display: grid; gap: clamp(1.5rem, 3vw, 2.5rem); }
        @media (min-width: 60rem) { main { grid-template-columns: minmax(0, 1.7fr) minmax(0, 1fr); align-items: start; } }
        section { min-width: 0; background: var(--panel); border: 1px solid var(--line); border-radius: .75rem;
          padding: clamp(1.1rem, 2.5vw, 1.75rem); }
        aside { display: grid; gap: clamp(1.5rem, 3vw, 2.5rem); min-width: 0; }
        dl { margin: 0; }
        dd { margin: 0; }
        .clients dl > div { padding: .85rem 0; border-top: 1px solid var(--line); }
        .clients dl > div:first-child { border-top: 0; padding-top: 0; }
        .clients dl > div:last-child { padding-bottom: 0; }
        .clients dt { font-weight: 600; margin-bottom: .4rem; }
        .clients dd + dd { margin-top: .4rem; }
        @media (min-width: 40rem) {
          .clients dl > div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); column-gap: 1rem; }
          .clients dt { margin: 0; padding-top: .4rem; grid-row: span 3; }
          .clients dd { grid-column: 2; }
        }
        code, pre, .base { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono",
          monospace; font-size: .875em; }
        .lead code { color: var(--ink); overflow-wrap: anywhere; }
        .clients dd code, .command code, pre { display: block; margin: 0; padding: .5rem .7rem; background: var(--code);
          border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        .clients dd code, .command code { user-select: all; -webkit-user-select: all; }
        .clients code span { display: block; padding-left: 1.5em; text-indent: -1.5em; }
        .note, .facts dd { color: var(--quiet); font-size: .925rem; }
        .facts dt { font-weight: 600; }
        .facts div + div { margin-top: .75rem; }
        .services { list-style: none; margin: 0; padding: 0; }
        .services li + li { margin-top: 1rem; }
        .services strong { font-weight: 600; }
        .services a, .base { display: block; }
        .base { color: var(--quiet); overflow-wrap: anywhere; }
        .badge { display: inline-block; margin-left: .35rem; padding: .05rem .5rem; border-radius: 1rem; font-size: .8rem;
          background: var(--badge-paper); color: var(--badge); }
        @media (max-width: 25rem) { dd code, .command code, pre { font-size: .785em; } }
        section > :last-child { margin-bottom: 0; }
        a { color: var(--accent); text-underline-offset: .18em; overflow-wrap: anywhere; }
        a:hover { text-decoration-thickness: 2px; }
        a:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
        """
}
