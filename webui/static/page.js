// Follows the table and carries taps to it. All words and drawings come from the table; this script only moves them.
"use strict";
(() => {
  const HOLD_MS = 3500;        // a held question is answered within 2 s; later than this the line is dead
  const SILENT_MS = 4000;      // two heartbeats missing: say that the position may be old
  const RETRY_MS = 400;
  const body = document.body;
  const byId = (id) => document.getElementById(id);
  let token = body.dataset.token;
  let seq = Number(body.dataset.seq);
  let may = body.dataset.may === "1";
  let heard = Date.now();
  let asking = null;           // the AbortController of the question under way
  let lit = null;              // the score line shown on the board
  const keys = new Map();      // wish -> key, until its receipt is here: the same wish sent again acts once
  const shown = {};

  // ---- following ------------------------------------------------------------------------------------------
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));

  async function ask(now) {
    const control = asking = new AbortController();
    const timer = setTimeout(() => control.abort(), HOLD_MS);
    try {
      const address = "/view?since=" + encodeURIComponent(token) + (now ? "&now=1" : "");
      const answer = await fetch(address, { signal: control.signal, cache: "no-store" });
      if (answer.status === 200) show(await answer.json());
      else if (answer.status !== 204) throw new Error("answer " + answer.status);
      heard = Date.now();
      tellLine();
      return Number(answer.headers.get("X-Again-Ms")) || 0;
    } finally {
      clearTimeout(timer);
    }
  }

  async function follow() {
    let now = false;
    for (;;) {
      try {
        const again = await ask(now);
        now = false;
        if (again) await pause(again);
      } catch (fault) {
        now = true;             // after a break, ask for what is true at once
        if (!woken) await pause(RETRY_MS);
        woken = false;
      }
    }
  }

  let woken = false;
  function wake() {             // the phone slept, or the network came back: the old question is worth nothing
    if (document.hidden) return;
    tellLine();
    if (Date.now() - heard > 2500 && asking) { woken = true; asking.abort(); }
  }
  document.addEventListener("visibilitychange", wake);
  for (const event of ["pageshow", "online", "focus"]) addEventListener(event, wake);

  function tellLine() {
    const quiet = Date.now() - heard;
    const line = byId("line");
    line.hidden = quiet < SILENT_MS;
    body.classList.toggle("silent", !line.hidden);
    if (!line.hidden) line.textContent = body.dataset.lineSilent.replace("#", String(Math.round(quiet / 1000)));
  }
  setInterval(tellLine, 500);

  // ---- showing --------------------------------------------------------------------------------------------
  function show(view) {
    token = view.token; seq = view.seq; may = view.may;
    body.dataset.seq = String(seq);
    document.title = view.title;
    for (const [name, on] of [["amiss", view.amiss], ["grave", view.grave], ["over", view.over], ["asking", view.asking]])
      body.classList.toggle(name, on);
    for (const [name, html] of Object.entries(view.parts)) {
      if (shown[name] === html) continue;
      shown[name] = html;
      const part = byId("part-" + name);
      const kept = new Map(Array.from(part.querySelectorAll("[data-keep]"), (d) => [d.dataset.keep, d.open]));
      part.innerHTML = html;
      for (const detail of part.querySelectorAll("[data-keep]"))
        if (kept.has(detail.dataset.keep)) detail.open = kept.get(detail.dataset.keep) || detail.open;
    }
    finish();
  }

  function finish() {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = new Date(time.dateTime);
      if (!time.textContent && !Number.isNaN(at.getTime()))
        time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    }
    const board = document.querySelector("svg.board");
    if (board) byId("turn-board").href = "/?side=" + (Number(board.dataset.side) + 1) % 4;
    light(lit);
  }

  function light(index) {
    lit = index;
    const board = document.querySelector("svg.board");
    let found = false;
    for (const chain of document.querySelectorAll("[data-chain]")) {
      const is = chain.dataset.chain === index;
      chain.classList.toggle("lit", is);
      found = found || is;
    }
    if (board) board.classList.toggle("lighting", found);
    for (const line of document.querySelectorAll("[data-light]")) line.setAttribute("aria-pressed", String(line.dataset.light === index));
  }

  let toastTimer = 0;
  function toast(words, ms = 4000) {
    const box = byId("toast");
    box.textContent = words;
    box.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { box.hidden = true; }, ms);
  }

  // ---- sheets ---------------------------------------------------------------------------------------------
  function open(name) {
    for (const other of document.querySelectorAll("dialog[open]")) other.close();
    byId("sheet-" + name).showModal();
  }
  function closeAll() { for (const sheet of document.querySelectorAll("dialog[open]")) sheet.close(); }

  async function openSquare(cell) {
    const answer = await get("/square?cell=" + encodeURIComponent(cell));
    if (!answer) return;
    byId("square").innerHTML = await answer.text();
    open("square");
  }

  async function openPicture() {
    const frame = byId("picture");
    const answer = await get("/picture.jpg");
    if (!answer) return;
    const image = document.createElement("img");
    image.src = "/picture.jpg?at=" + Date.now();
    image.alt = "";
    frame.replaceChildren(image);
    open("picture");
  }

  async function get(address) {
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (answer.ok) return answer;
      toast(await said(answer));
      if (answer.status === 403) open("join");
    } catch (fault) {
      toast(body.dataset.notSent);
    }
    return null;
  }

  async function said(answer) {
    try { return (await answer.json()).said || body.dataset.notSent; } catch (fault) { return body.dataset.notSent; }
  }

  // ---- taps -----------------------------------------------------------------------------------------------
  function post(address, value) {
    const control = new AbortController();
    setTimeout(() => control.abort(), 8000);
    return fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value), signal: control.signal,
    });
  }

  const freshKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");

  async function send(button, wish) {
    if (button.dataset.sent) return;           // a second tap on a slow link is the same wish
    const holder = button.closest("[data-seq]");
    const onSeq = Number(holder ? holder.dataset.seq : seq);
    const meant = onSeq + JSON.stringify(wish);
    if (!keys.has(meant)) keys.set(meant, freshKey());
    button.dataset.sent = "1";
    button.classList.add("sending");
    toast(body.dataset.sending, 8000);
    try {
      const answer = await post("/do", { key: keys.get(meant), on_seq: onSeq, wish });
      const words = await said(answer);
      keys.delete(meant);
      toast(words);
      if (answer.ok || answer.status === 409) closeAll();
      if (answer.status === 403) open("join");
      if (!answer.ok && asking) { woken = true; asking.abort(); }      // an old position: show the new one
    } catch (fault) {
      toast(body.dataset.notSent);             // the same key goes again with the next tap: acts once
    } finally {
      delete button.dataset.sent;
      button.classList.remove("sending");
    }
  }

  function mute(button) {
    const level = button.dataset.mute;
    if (level !== "off") { try { localStorage.setItem("sound", level); } catch (fault) { /* private mode */ } }
    let before = "all";
    try { before = localStorage.getItem("sound") || "all"; } catch (fault) { /* private mode */ }
    send(button, { kind: "sound", level: level === "off" ? before : "off" });
  }

  document.addEventListener("click", (event) => {
    const on = (choice) => event.target.closest(choice);
    let found;
    if ((found = on("a.soft"))) {
      event.preventDefault();
      fetch(found.href, { cache: "no-store" }).then(() => { if (asking) { woken = true; asking.abort(); } }).catch(() => { location = found.href; });
    } else if ((found = on("[data-wish]"))) send(found, JSON.parse(found.dataset.wish));
    else if ((found = on("[data-mute]"))) mute(found);
    else if ((found = on("[data-open]"))) open(found.dataset.open);
    else if (on("[data-close]")) closeAll();
    else if ((found = on("[data-say]"))) toast(found.dataset.say);
    else if (on("[data-picture]")) openPicture();
    else if (on("[data-leave]")) post("/leave", {}).then(() => { closeAll(); asking && asking.abort(); }).catch(() => toast(body.dataset.notSent));
    else if ((found = on("[data-light]"))) light(lit === found.dataset.light ? null : found.dataset.light);
    else if ((found = on("[data-group]"))) {
      for (const group of document.querySelectorAll("[data-postures]")) group.hidden = group.dataset.postures !== found.dataset.group;
      for (const kind of document.querySelectorAll("[data-group]")) kind.setAttribute("aria-pressed", String(kind === found));
      document.querySelector("[data-postures]:not([hidden])").scrollIntoView({ block: "nearest" });
    } else if ((found = on(".touch"))) {
      if (may) openSquare(found.dataset.cell);
      else toast(found.textContent);
    } else if (event.target.tagName === "DIALOG") closeAll();
  });

  byId("join").addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = event.target.querySelector(".join-said");
    words.hidden = true;
    try {
      const answer = await post("/join", { code: event.target.elements.code.value });
      const told = await said(answer);
      if (answer.ok) {
        event.target.reset();
        closeAll();
        toast(told);
        if (asking) { woken = true; asking.abort(); }
      } else { words.textContent = told; words.hidden = false; }
    } catch (fault) { words.textContent = body.dataset.notSent; words.hidden = false; }
  });

  for (const part of document.querySelectorAll(".part")) shown[part.id.slice(5)] = null;
  finish();
  follow();
})();
