// The page in a frame of its own origin, and files that the system opens with it.
"use strict";

if (new URLSearchParams(location.search).has("embed")) document.documentElement.classList.add("embedded");

const most = 4 << 20; // characters of a message

const say = (message) => parent.postMessage(message, location.origin);

// served hands messages of the page around this one to ask, as JSON. See EMBED.md.
export function served(ask) {
  if (parent === window) return;
  addEventListener("message", ({ origin, source, data }) => {
    if (origin !== location.origin || source !== parent || data?.baca !== 1) return;
    let text = "";
    try {
      text = JSON.stringify(data);
    } catch {
      text = "";
    }
    if (text !== "" && text.length <= most) return ask(text);
    const id = ["string", "number"].includes(typeof data.id) ? data.id : null;
    say({ baca: 1, id, error: { code: "option", text: text === "" ? "the message cannot be written as JSON" : `the message has ${text.length} characters, the most is ${most}` } });
  });
}

// reply answers, by JSON.
export const reply = (json) => say(JSON.parse(json));

// launched hands over the files that an installed page is opened with.
export function launched(take) {
  globalThis.launchQueue?.setConsumer(async ({ files }) => {
    if (files?.length > 0) take(await files[0].getFile());
  });
}
