// The state of a resource, in words.
import { make } from "./dom.js";
import { duration } from "./format.js";

const words = { fresh: "up to date", stale: "stale", loading: "loading", error: "failed" };

/** The state of a listed resource; a load under way counts most. */
export function badge(one) {
  const state = one.isLoading ? "loading" : (one.state ?? "error");
  const progress = state === "loading" && one.progress !== undefined ? ` ${Math.round(100 * one.progress)} %` : "";
  return make("span", { class: `badge ${state}` }, `${words[state] ?? state}${progress}`);
}

/** What a person wants to know about a resource first. */
export function sentence(resource) {
  const [variant] = resource.variants;
  if (resource.isLoading) {
    const progress = resource.progress === undefined ? "" : `, ${Math.round(100 * resource.progress)} % is here`;
    return { state: "loading", text: `It is being loaded${progress}.` };
  }
  const failed = resource.error && `The last load failed: ${resource.error.message}`;
  if (!variant) return { state: "error", text: failed ?? "Nothing is stored of it." };
  if (variant.isInvalidated) return { state: "stale", text: "It was invalidated: the next request asks the origin first." };
  if (variant.state === "fresh") {
    return { state: "fresh", text: `It is up to date for another ${duration(variant.ttlSeconds)}.` };
  }
  const since = variant.ttlSeconds < 0 ? `has been stale for ${duration(variant.ttlSeconds)}` : "is stale";
  const text = `It ${since}: the next request asks the origin first.`;
  return failed ? { state: "error", text: `${failed} ${text}` } : { state: "stale", text };
}
