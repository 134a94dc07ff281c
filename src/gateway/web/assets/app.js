// Smooths the page; without it everything works by plain forms. No state of its own: the server draws, this puts
// pieces where they belong and keeps what is being typed.
(() => {
  "use strict";
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

  // --- times in the reader's own zone
  const localise = (root) => {
    for (const time of all("time[datetime]", root)) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const clock = at.toLocaleTimeString([], { hour: "numeric", minute: "2-digit" });
      const now = new Date();
      const today = at.toDateString() === now.toDateString();
      // A day without a year means the nearest one, so one that is further away has it.
      const far = Math.abs(at - now) > 334 * 86_400_000;
      const day = { day: "numeric", month: "short", ...(far && { year: "numeric" }) };
      time.textContent = today ? clock : `${at.toLocaleDateString([], day)} ${clock}`;
      time.title = at.toLocaleString();
    }
  };

  // --- notices and announcements
  const tell = (html) => {
    const notice = one("#notice");
    notice.innerHTML = html ? `<p>${html}</p>` : ""; // drawn and escaped by the server
    delete notice.dataset.link;
    localise(notice);
  };
  // What comes together is said together.
  let unsaid = [];
  const speak = (words) => {
    if (!words) return;
    if (!unsaid.length) {
      setTimeout(() => { one("#aloud").textContent = unsaid.join(" ").slice(0, 800); unsaid = []; }, 300);
    }
    unsaid.push(words);
  };

  // --- what somebody is in the middle of
  const typing = (field) => field.name && !["hidden", "file", "submit"].includes(field.type) && !field.name.startsWith("rows.");
  const isPicked = (type) => ["checkbox", "radio"].includes(type);
  const isChanged = (field) => isPicked(field.type) ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT" ? [...field.options].some((o) => o.selected !== o.defaultSelected && o.value)
    : field.value !== field.defaultValue;
  const remember = (root) => ({
    open: all("details[open]", root).map((d) => one("summary", d)?.textContent),
    fields: all("form", root).flatMap((form) => [...form.elements].filter(typing).filter(isChanged)
      .map((f) => ({ form: form.dataset.form, name: f.name, value: f.value, type: f.type, checked: f.checked }))),
    focus: root.contains(document.activeElement) ? document.activeElement.id || document.activeElement.name : "",
  });
  const restore = (root, kept) => {
    for (const details of all("details", root)) {
      if (kept.open.includes(one("summary", details)?.textContent)) details.open = true;
    }
    const lost = [];
    for (const was of kept.fields) {
      const same = (f) => f.name === was.name && (!isPicked(was.type) || f.value === was.value);
      const field = all("form", root).filter((f) => f.dataset.form === was.form).flatMap((f) => [...f.elements]).find(same);
      if (field && isPicked(was.type)) field.checked = was.checked;
      else if (field) field.value = was.value;
      else if (!isPicked(was.type) && was.value) lost.push(was.value);
    }
    if (lost.length) {
      const box = document.createElement("details");
      box.className = "kept";
      box.append(Object.assign(document.createElement("summary"), { textContent: "What you had typed" }));
      box.append(Object.assign(document.createElement("pre"), { textContent: lost.join("\n\n") }));
      root.append(box);
    }
    if (kept.focus) (document.getElementById(kept.focus) || all("[name]", root).find((f) => f.name === kept.focus))?.focus({ preventScroll: true });
  };

  // --- pieces of the page
  const scroller = document.body.classList.contains("talk") ? one("main") : document.scrollingElement;
  const nearEnd = () => scroller.clientHeight + scroller.scrollTop > scroller.scrollHeight - 200;
  // Where the end begins: at the open card, unless something was said since.
  const endsAt = () => {
    const rows = all("#log > *");
    const card = rows.findLastIndex((row) => !row.dataset.sent && one(".card.open", row));
    const isLast = card >= 0 && !rows.slice(card).some((row) => row.classList.contains("mine"));
    return isLast ? rows[card] : rows.at(-1);
  };
  // What is taller than the window is shown from its beginning.
  const toEnd = () => {
    const from = endsAt();
    const above = from && from.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    const tall = from && scroller.scrollHeight - above > scroller.clientHeight - 40;
    if (tall) from.scrollIntoView({ block: "start" });
    else scroller.scrollTo({ top: scroller.scrollHeight });
  };
  const drawn = (piece) => {
    const holder = document.createElement("template");
    holder.innerHTML = piece.html; // drawn and escaped by the server
    const element = holder.content.firstElementChild;
    // That is for pages without scripts; here the focus is set below.
    for (const field of all("[autofocus]", element)) field.removeAttribute("autofocus");
    localise(element);
    return element;
  };
  const put = (piece, { keep = true } = {}) => {
    const old = document.getElementById(piece.id);
    if (old && keep && old.dataset.rev === piece.rev) return false;
    const element = drawn(piece);
    element.id = piece.id;
    if (old) {
      // Words that were still coming are whole now.
      const done = old.classList.contains("draft") && !element.classList.contains("draft");
      // What was sent from here is in the answer; anything else is still being written.
      const kept = keep && !old.dataset.sent ? remember(old) : null;
      old.replaceWith(element);
      if (kept) restore(element, kept);
      return done;
    }
    const into = document.getElementById(piece.into);
    // What is still being said stays last: it is posted after all that is there already.
    into?.insertBefore(element, one(":scope > .draft", into));
    return !element.classList.contains("draft");
  };

  // What goes on is said aloud if it takes a while; what is over by then is not worth a word.
  let later = 0;
  const speakLater = (words) => {
    clearTimeout(later);
    if (words) later = setTimeout(() => speak(words), 1500);
  };

  let ready = false;
  let acted = 0;
  let answered = 0;
  // Whoever has answered a card goes on at the next one, unless they are elsewhere already. Says whether it is in `row`:
  // what gets the focus is read out by that, and need not be said once more.
  const moveOn = (row) => {
    const card = all("#log > .row:not([data-sent]) .card.open").pop();
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (!card || !isLost || Date.now() - answered > 3000) return false;
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
    return Boolean(row?.contains(card));
  };
  // That news do not come is said once it lasts, and taken back when they come again.
  let losing = 0;
  const linked = (live) => {
    document.body.dataset.link = live ? "live" : "lost";
    clearTimeout(losing);
    losing = live ? 0 : setTimeout(() => { one("#link").textContent = "Connection lost. Trying to reconnect…"; }, 1500);
    if (!live) return;
    one("#link").textContent = "";
    if (one("#notice").dataset.link) tell("");
  };
  const listen = () => {
    const url = document.body.dataset.live;
    if (!url || !window.EventSource) return;
    const source = new EventSource(url);
    source.addEventListener("piece", (event) => {
      const piece = JSON.parse(event.data);
      // Whoever has just done something is shown what comes of it, wherever they were reading.
      const follow = nearEnd() || Date.now() - acted < 3000;
      const added = put(piece);
      const grows = piece.id === "doing" || piece.id === "tail" || document.getElementById(piece.id)?.classList.contains("draft");
      if (piece.id === "doing") speakLater(piece.spoken);
      else if (added && ready && !moveOn(document.getElementById(piece.id))) speak(piece.spoken);
      if (follow && (added || grows)) toEnd();
    });
    source.addEventListener("drafts", (event) => {
      const { ids } = JSON.parse(event.data);
      for (const row of all("#log > .draft")) if (!ids.includes(row.id)) row.remove();
    });
    source.addEventListener("keep", (event) => {
      const { into, ids } = JSON.parse(event.data);
      for (const child of [...document.getElementById(into).children]) {
        if (!ids.includes(child.id) && (child.dataset.sent || !remember(child).fields.length)) child.remove();
      }
      // What is new may belong before what is there; only that is moved, so that nobody loses their place.
      let next = document.getElementById(into).firstElementChild;
      for (const id of ids) {
        const child = document.getElementById(id);
        if (!child) continue;
        if (child === next) next = next.nextElementSibling;
        else document.getElementById(into).insertBefore(child, next);
      }
    });
    source.addEventListener("gone", () => {
      source.close();
      // Nothing of it stays to be read, nor any way to add to it.
      for (const part of all(".top .inner > :not(.brand-mark), #status, main > *, .composer")) part.remove();
      document.title = "This conversation has been erased.";
      tell(`${document.title} <a href="/">Back to start</a>`);
    });
    source.onopen = () => { setTimeout(() => { ready = true; document.body.dataset.ready = "yes"; }, 500); linked(true); };
    source.onerror = () => { if (document.body.dataset.link !== "lost") linked(false); if (source.readyState === EventSource.CLOSED) setTimeout(listen, 4000); };
  };

  // --- forms
  const tooLarge = (form) => {
    for (const input of all("input[type=file][data-max-bytes]", form)) {
      const big = [...input.files].find((f) => f.size > Number(input.dataset.maxBytes));
      if (big) return `“${big.name}” is too large: the limit is ${Math.floor(input.dataset.maxBytes / 1048576)} MB.`;
    }
    return "";
  };
  const send = async (form, button) => {
    if (form.dataset.busy) return;
    const big = tooLarge(form);
    if (big) {
      one("#notice").textContent = big;
      // That was about another file.
      for (const old of all(".error", form)) old.remove();
      return;
    }
    const data = new FormData(form);
    if (button?.name) data.append(button.name, button.value);
    const files = form.enctype === "multipart/form-data";
    form.dataset.busy = "yes";
    const row = form.closest(".row");
    if (row) row.dataset.sent = "yes";
    if (form.closest(".card")) answered = Date.now();
    button?.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, {
        method: "POST", headers: { Accept: "application/json" }, body: files ? data : new URLSearchParams(data), credentials: "same-origin",
      });
      // The server has spoken: what is sent from here on is a new event.
      if (form.elements.key) form.elements.key.value = fresh();
      const kind = answer.headers.get("content-type") || "";
      if (!kind.includes("json")) { tell(answer.status === 413 ? "That is too large to send, so nothing was sent." : "That didn't work. Please reload the page and try again."); return; }
      const said = await answer.json();
      if (row && !said.ok) delete row.dataset.sent;
      settle(form, said, button);
    } catch {
      if (row) delete row.dataset.sent;
      // The same key again: if it did arrive, it counts once.
      tell("No connection. What you typed is still here, so please try again.");
      one("#notice").dataset.link = "lost"; // until it is back
    } finally {
      delete form.dataset.busy;
      button?.removeAttribute("aria-busy");
    }
  };
  // On the staff's list a card stands in a row that says whose it is: that stays.
  const redraw = (form, piece) => {
    const row = form.closest(".row");
    const old = !document.getElementById(piece.id) && row && one("article.card", row);
    if (!old) {
      put(piece, { keep: false });
      return document.getElementById(piece.id);
    }
    old.replaceWith(one("article.card", drawn(piece)));
    delete row.dataset.sent;
    return row;
  };
  // Whoever answered a card that stays open is still there.
  const settled = (row) => {
    const card = row && one(".card.open", row);
    if (!card || document.activeElement !== document.body) return;
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
  };
  const settle = (form, said, button) => {
    if (said.location) { window.location.assign(said.location); return; }
    tell(said.notice || "");
    if (said.ok) {
      acted = Date.now();
      moveOn();
      // Unless the news have drawn it already.
      if (form.isConnected) for (const piece of said.pieces || []) settled(redraw(form, piece));
      const menu = form.closest(".menu");
      // What was sent from the menu is not still being written.
      if (menu) {
        form.reset();
        for (const folded of [menu, ...all("details", menu)]) folded.open = false;
      }
      if (said.said) {
        const holder = document.createElement("template");
        holder.innerHTML = said.said; // drawn and escaped by the server
        one("#log").append(holder.content);
        toEnd();
      }
      if (form.id === "say") { form.reset(); count(form.elements.text); chosen(form); grow(form.elements.text); form.elements.text.focus(); }
      if (document.body.dataset.link !== "live") window.location.reload();
      return;
    }
    const known = new Set([...form.elements].map((field) => field.name));
    const unfolded = all(".unit[open]", form).map((entry) => [entry.dataset.list, Number(entry.dataset.entry)]);
    for (const piece of said.pieces || []) {
      const card = redraw(form, piece);
      const place = unfold(card || document, unfolded, button);
      const wrong = one("[aria-invalid=true]", card || document) || one(".error", card || document)?.closest("form")?.querySelector("textarea, input:not([type=hidden])");
      const added = all("input:not([type=hidden]), textarea", card || document).find((field) => field.name && !known.has(field.name));
      const same = all("button", card || document).find((one) => one.value === button?.value);
      const next = wrong || (said.notice ? null : place || added || same);
      (next?.matches("[role]") ? one("input", next) : next)?.focus();
      next?.scrollIntoView({ block: "nearest" });
    }
  };
  // Entries that were unfolded stay so when one is added, removed or moved. Where one was removed or moved, the focus
  // goes to the one that is in its place.
  const unfold = (card, was, button) => {
    const [, verb, list, row] = /\.(add|remove|up)\.(\d+)(?:\.(\d+))?$/.exec(button?.value || "") || [];
    if (!verb) return null;
    const at = Number(row);
    const moved = (n) => verb === "remove" ? (n > at ? n - 1 : n) : verb === "up" ? (n === at ? n - 1 : n + 1 === at ? n + 1 : n) : n;
    const entry = (of, n) => one(`.unit[data-list="${of}"][data-entry="${n}"]`, card);
    for (const [of, n] of was) {
      if (verb === "remove" && of === list && n === at) continue;
      const now = entry(of, of === list ? moved(n) : n);
      if (now) now.open = true;
    }
    if (verb === "add") return null;
    const next = verb === "up" ? entry(list, at - 1) : entry(list, at) || entry(list, at - 1);
    return next ? one("summary", next) : all("button.add", card).find((add) => add.value.endsWith(`.add.${list}`));
  };
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if ("plain" in form.dataset) return;
    event.preventDefault();
    if (form.id === "say" && !form.elements.text.value.trim() && !form.elements.files?.files.length) return;
    send(form, event.submitter);
  });

  // --- writing and files
  const grow = (area) => { area.style.height = "auto"; area.style.height = `${area.scrollHeight}px`; };
  const chosen = (form) => {
    const line = one(".chosen", form);
    if (line) line.textContent = [...form.elements.files.files].map((f) => f.name).join(", ");
  };
  // Nothing is cut: what is too long is told before it is sent.
  const count = (area) => {
    const line = one(".left", area.form);
    const most = Number(area.dataset.max);
    if (!line || !most) return;
    const long = [...area.value.trim()].length;
    line.textContent = long > most * 0.9 ? `${long.toLocaleString()} of ${most.toLocaleString()} characters${long > most ? ": please shorten it" : ""}` : "";
    line.classList.toggle("over", long > most);
  };
  document.addEventListener("input", (event) => {
    if (event.target.id === "text") grow(event.target);
    if (event.target.dataset.max) count(event.target);
  });
  document.addEventListener("change", (event) => { if (event.target.type === "file") chosen(event.target.form); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target.id === "text") {
      event.preventDefault();
      event.target.form.requestSubmit(one("button.primary", event.target.form));
    }
    if (event.key === "Escape") {
      const menu = one(".menu[open]");
      if (menu) { menu.open = false; one("summary", menu).focus(); }
    }
  });
  document.addEventListener("click", (event) => {
    const menu = one(".menu[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
  const target = (event) => event.target.closest?.("form.drop") || one(".card.open form.drop") || one("#say.drop");
  for (const kind of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      const form = target(event);
      if (!form) return;
      event.preventDefault();
      form.classList.toggle("over", kind === "dragover");
      if (kind === "drop") {
        form.elements.files.files = event.dataTransfer.files;
        chosen(form);
      }
    });
  }

  localise(document);
  listen();
  if (document.body.classList.contains("talk")) toEnd();
})();
