// Carries pictures and taps to the table and shows what became of them. All words come from the table.
"use strict";
(() => {
  const LOOK_MS = 2000;        // how often it asks for news
  const SILENT_MS = 6000;
  const TAP_MS = 10000;
  const READ_MS = 180000;      // a small computer reads a large photograph slowly
  const body = document.body;
  const byId = (id) => document.getElementById(id);
  let token = body.dataset.token;
  let heard = Date.now();
  let shownCity = "";
  let again = 0;               // the city to be read anew; 0: a new one
  let lit = null;
  let reading = false;
  const keys = new Map();      // wish -> key, until its receipt is here: the same wish sent again acts once

  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const freshKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");

  function timed(address, options, ms) {
    const control = new AbortController();
    const timer = setTimeout(() => control.abort(), ms);
    return fetch(address, { cache: "no-store", signal: control.signal, ...options }).finally(() => clearTimeout(timer));
  }
  const post = (address, value, ms = TAP_MS) =>
    timed(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) }, ms);
  async function said(answer) {
    try { return (await answer.json()).said || body.dataset.notSent; } catch (fault) { return body.dataset.notSent; }
  }

  // ---- following ------------------------------------------------------------------------------------------
  async function look() {
    const answer = await timed("/city/view?since=" + encodeURIComponent(token), {}, 4000);
    if (answer.status === 200) show(await answer.json());
    else if (answer.status !== 204) throw new Error("answer " + answer.status);
    heard = Date.now();
    tellLine();
  }
  async function follow() {
    for (;;) {
      await pause(LOOK_MS);
      if (document.hidden) continue;
      try { await look(); } catch (fault) { tellLine(); }
    }
  }
  const lookNow = () => look().catch(tellLine);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) lookNow(); });
  for (const event of ["pageshow", "online"]) addEventListener(event, lookNow);

  function tellLine() {
    const quiet = Date.now() - heard;
    const line = byId("line");
    line.hidden = quiet < SILENT_MS;
    if (!line.hidden) line.textContent = body.dataset.lineSilent.replace("#", String(Math.round(quiet / 1000)));
  }

  // ---- showing --------------------------------------------------------------------------------------------
  function show(view) {
    const before = new Set(cityNames());
    const known = new Map(Array.from(document.querySelectorAll("[data-keep]"), (d) => [d.dataset.keep, d.open]));
    token = view.token;
    body.dataset.seq = String(view.seq);
    byId("part-city").innerHTML = view.body;
    for (const detail of document.querySelectorAll("[data-keep]")) detail.open = known.get(detail.dataset.keep) || false;
    const fresh = cityNames().find((name) => !before.has(name));
    if (fresh) shownCity = fresh;
    arrange();
    if (byId("sheet-more").open) fillMore();
  }
  const cityNames = () => Array.from(document.querySelectorAll(".one-city"), (one) => one.dataset.city);

  function arrange() {
    const names = cityNames();
    if (!names.includes(shownCity)) shownCity = names[0] || "";
    for (const one of document.querySelectorAll(".one-city")) one.hidden = one.dataset.city !== shownCity;
    for (const tab of document.querySelectorAll("[data-show]")) tab.setAttribute("aria-selected", String(tab.dataset.show === shownCity));
    light(lit);
  }

  function light(slots) {
    lit = slots;
    const city = document.querySelector(".one-city:not([hidden])");
    if (!city) return;
    const line = slots === null ? null : Array.from(city.querySelectorAll("[data-light]")).find((one) => one.dataset.light === slots);
    const names = new Set(line ? slots.split(" ") : []);
    city.querySelector("svg.city").classList.toggle("lighting", names.size > 0);
    for (const slot of city.querySelectorAll("[data-at]")) slot.classList.toggle("lit", names.has(slot.dataset.at));
    for (const one of city.querySelectorAll("[data-light]")) one.setAttribute("aria-pressed", String(one === line));
  }

  let toastTimer = 0;
  function toast(words, ms = 4000) {
    const box = byId("toast");
    box.textContent = words;
    box.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { box.hidden = true; }, ms);
  }
  function tell(words) {       // what must be read stays until it is put away
    byId("said").hidden = !words;
    byId("said").querySelector("p").textContent = words;
    if (words) byId("said").scrollIntoView({ block: "nearest" });
  }

  // ---- sheets ---------------------------------------------------------------------------------------------
  function closeAll() { for (const sheet of document.querySelectorAll("dialog[open]")) sheet.close(); }
  function open(name) { closeAll(); byId("sheet-" + name).showModal(); byId("sheet-" + name).scrollTop = 0; }
  function fillMore() { byId("more").innerHTML = byId("more-inside").innerHTML; }

  async function openSlot(at, city) {
    try {
      const answer = await timed("/city/slot?city=" + city + "&slot=" + at, {}, TAP_MS);
      if (answer.ok) {
        byId("slot").innerHTML = await answer.text();
        open("slot");
      } else {
        toast(await said(answer));
        if (answer.status === 403) open("join");
        else lookNow();
      }
    } catch (fault) { toast(body.dataset.notSent); }
  }

  // ---- pictures -------------------------------------------------------------------------------------------
  function busy(words, share) {
    const box = byId("busy");
    box.hidden = words === null;
    if (words === null) return;
    box.firstElementChild.textContent = words;
    if (share === null) box.lastElementChild.removeAttribute("value");
    else box.lastElementChild.value = share;
  }

  async function sendParts(file, upload) {
    const step = Number(body.dataset.part);
    let failed = 0;
    for (let at = 0; at < file.size;) {
      busy(body.dataset.percent.replace("#", String(Math.floor(100 * at / file.size))), 100 * at / file.size);
      const address = "/city/send?upload=" + upload + "&at=" + at + "&total=" + file.size;
      try {
        const answer = await timed(address, {
          method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file.slice(at, at + step),
        }, 20000);
        if (!answer.ok) return answer;
        at = (await answer.json()).there;
        failed = 0;
      } catch (fault) {
        if (++failed > 3) throw fault;       // a part that got lost is sent again
        await pause(400 * failed);
      }
    }
    return null;
  }

  async function readPicture(file) {
    const city = again;
    again = 0;
    if (reading) { toast(body.dataset.reading); return; }
    tell("");
    if (file.size > Number(body.dataset.most)) {
      tell(body.dataset.tooBig.replace("#", String(Math.round(file.size / 1e6))));
      return;
    }
    reading = true;
    const onSeq = Number(body.dataset.seq);
    const upload = freshKey();
    try {
      let answer = await sendParts(file, upload);
      if (!answer) {
        busy(body.dataset.reading, null);
        const name = file.name.slice(-80);
        answer = await post("/city/do", { key: upload, on_seq: onSeq, wish: { kind: "read", upload, name, city } }, READ_MS);
      }
      const words = await said(answer);
      if (answer.ok) toast(words); else tell(words);
      if (answer.status === 403) open("join");
    } catch (fault) {
      tell(body.dataset.notSent);
    } finally {
      busy(null);
      reading = false;
    }
    lookNow();
  }
  for (const name of ["take", "choose"]) {
    byId(name).addEventListener("change", (event) => {
      const file = event.target.files[0];
      event.target.value = "";               // the same file may be chosen again
      if (file) readPicture(file);
    });
  }

  // ---- taps -----------------------------------------------------------------------------------------------
  async function send(button, wish) {
    if (button.dataset.sent) return;
    const holder = button.closest("[data-seq]");
    const onSeq = Number(holder ? holder.dataset.seq : body.dataset.seq);
    const meant = onSeq + JSON.stringify(wish);
    if (!keys.has(meant)) keys.set(meant, freshKey());
    button.dataset.sent = "1";
    button.classList.add("sending");
    try {
      const isSlow = wish.kind === "camera";
      if (isSlow) { tell(""); busy(body.dataset.reading, null); }
      const answer = await post("/city/do", { key: keys.get(meant), on_seq: onSeq, wish }, isSlow ? READ_MS : TAP_MS);
      const words = await said(answer);
      keys.delete(meant);
      if (isSlow && !answer.ok) tell(words); else toast(words);
      if (answer.ok || answer.status === 409) closeAll();
      if (answer.status === 403) open("join");
      await lookNow();
    } catch (fault) {
      toast(body.dataset.notSent);
    } finally {
      if (wish.kind === "camera") busy(null);
      delete button.dataset.sent;
      button.classList.remove("sending");
    }
  }

  function pick(id, city) { again = city; byId(id).click(); }
  function sure(button) {
    const sheet = byId("sheet-sure");
    sheet.dataset.seq = body.dataset.seq;
    sheet.querySelector("h2").textContent = button.dataset.sure;
    const yes = sheet.querySelector(".big");
    yes.textContent = button.dataset.yes;
    yes.dataset.wish = button.dataset.ask;
    open("sure");
  }

  document.addEventListener("click", (event) => {
    const on = (choice) => event.target.closest(choice);
    let found;
    if ((found = on("[data-wish]"))) send(found, JSON.parse(found.dataset.wish));
    else if ((found = on("[data-slot]"))) openSlot(found.dataset.slot, found.closest("[data-city]").dataset.city);
    else if ((found = on("[data-take]"))) pick(found.dataset.take, 0);
    else if ((found = on("[data-again]"))) pick("choose", Number(found.dataset.again));
    else if ((found = on("[data-sure]"))) sure(found);
    else if ((found = on("[data-show]"))) { shownCity = found.dataset.show; lit = null; arrange(); }
    else if ((found = on("[data-light]"))) {
      light(lit === found.dataset.light ? null : found.dataset.light);
      const city = found.closest(".one-city").querySelector("svg.city");
      if (lit !== null && city.getBoundingClientRect().bottom < 160) city.scrollIntoView({ block: "start" });
    }
    else if ((found = on("[data-face]"))) {
      for (const counts of document.querySelectorAll("[data-counts]")) counts.hidden = counts.dataset.counts !== found.dataset.face;
      for (const face of document.querySelectorAll("[data-face]")) face.setAttribute("aria-pressed", String(face === found));
      document.querySelector("[data-counts]:not([hidden])").scrollIntoView({ block: "end" });
    } else if ((found = on("[data-name]"))) {
      const form = byId("name");
      form.dataset.city = found.dataset.name;
      form.dataset.seq = body.dataset.seq;
      form.elements.player.value = found.dataset.player;
      open("name");
    } else if ((found = on("[data-open]"))) {
      if (found.dataset.open === "more") fillMore();
      open(found.dataset.open);
    } else if (on("[data-close]")) closeAll();
    else if (on("[data-hush]")) tell("");
    else if (event.target.tagName === "DIALOG") closeAll();
  });
  document.addEventListener("keydown", (event) => {
    const slot = event.target.closest && event.target.closest("g[data-slot]");
    if (slot && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      openSlot(slot.dataset.slot, slot.closest("[data-city]").dataset.city);
    }
  });

  byId("name").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    send(form.querySelector(".big"), { kind: "name", city: Number(form.dataset.city), player: form.elements.player.value });
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
        lookNow();
      } else { words.textContent = told; words.hidden = false; }
    } catch (fault) { words.textContent = body.dataset.notSent; words.hidden = false; }
  });

  arrange();
  follow();
})();
