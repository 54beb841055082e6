"use strict";
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const byId = new Map(index.scenarios.map((each, n) => [each.id, n]));
  const rows = [];
  for (const row of document.querySelectorAll(".list tbody tr")) rows[+row.dataset.n] = row;
  const form = document.querySelector(".filter");
  const main = document.getElementById("scenario");
  document.documentElement.classList.add("scripted");

  // --- elements

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== null && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  }

  const WORDS = /(#.*$)|([fr]?"(?:[^"\\]|\\.)*"|[fr]?'(?:[^'\\]|\\.)*')|\b(\d[\d.]*(?:e[+-]?\d+)?)\b|\b(and|as|assert|class|def|del|elif|else|False|for|from|if|import|in|is|lambda|None|not|or|pass|return|True|with|yield)\b/gm;

  function code(text) {
    const parts = [];
    let end = 0;
    for (const found of text.matchAll(WORDS)) {
      parts.push(text.slice(end, found.index));
      const kind = found[1] ? "c" : found[2] ? "s" : found[3] ? "d" : "k";
      parts.push(make("span", { class: kind }, found[0]));
      end = found.index + found[0].length;
    }
    return [...parts, text.slice(end)];
  }

  // --- the pages of scenarios, unpacked a part at a time

  const parts = new Map();

  function part(number) {
    if (!parts.has(number)) parts.set(number, unpack(document.getElementById(`part-${number}`).textContent));
    return parts.get(number);
  }

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  // --- where we are: #view?filter, or #scenario/id?engine=name

  function place() {
    const [path, query] = location.hash.slice(1).split("?");
    const [view, ...rest] = (path || "overview").split("/");
    return { view, id: decodeURIComponent(rest.join("/")), query: new URLSearchParams(query || "") };
  }

  let listed = "#scenarios";

  async function go() {
    const { view, id, query } = place();
    const section = document.getElementById(view) || document.getElementById("overview");
    if (!section.matches("main > section")) return;
    for (const each of document.querySelectorAll("main > section")) each.classList.toggle("current", each === section);
    for (const link of document.querySelectorAll("nav a")) {
      const here = link.hash === `#${section.id}`;
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (section.id === "scenarios") {
      for (const field of form.elements) if (field.name) field.value = query.get(field.name) || "";
      listed = location.hash;
      filter();
    }
    if (section.id === "scenario") await show(id, query);
    else document.title = "Autograd conformance";
    if (moved) window.scrollTo(0, 0);
    moved = true;
  }
  let moved = false;

  // --- the list

  let chosen = index.scenarios.map((_, n) => n);

  function filter() {
    const wanted = Object.fromEntries(new FormData(form));
    const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const engines = wanted.engine ? [index.engines.indexOf(wanted.engine)] : index.engines.map((_, n) => n);
    const verdict = index.verdicts.findIndex(([name]) => name === wanted.verdict);
    const active = words.length || wanted.engine || wanted.verdict || wanted.tier || wanted.area || wanted.document;
    chosen = [];
    for (const area of document.querySelectorAll(".area")) {
      let count = 0;
      const here = !wanted.area || area.dataset.area === wanted.area;
      for (const row of area.querySelectorAll("tbody tr")) {
        const n = +row.dataset.n;
        const each = index.scenarios[n];
        const matches = here
          && (!wanted.tier || each.tier === wanted.tier)
          && (!wanted.verdict || engines.some((e) => each.v[e] >= 0 && (verdict < 0 ? each.v[e] > 0 : each.v[e] === verdict)))
          && (!wanted.engine || each.v[engines[0]] >= 0)
          && (!wanted.document || each.claims.some((claim) => claim.startsWith(`${wanted.document}/`)))
          && words.every((word) => text(n).includes(word));
        row.hidden = !matches;
        if (matches) {
          count += 1;
          chosen.push(n);
          explain(row, each.why[wanted.engine ? engines[0] : Object.keys(each.why)[0]] || "");
        }
      }
      area.hidden = !count;
      area.dataset.count = count;
      area.querySelector(".count").textContent = count;
    }
    for (const area of document.querySelectorAll(".area")) area.open = Boolean(active) && (chosen.length <= 400 || Boolean(wanted.area));
    form.querySelector("output").textContent = active ? `${chosen.length} of ${index.scenarios.length}` : "";
  }

  // Why it does not agree: on the engine asked for, else on the first that does not.
  function explain(row, why) {
    const shown = row.querySelector("em");
    if ((shown ? shown.textContent : "") === why) return;
    if (shown) shown.remove();
    if (why) row.querySelector("th").append(make("em", {}, why));
  }

  const texts = [];
  function text(n) {
    if (texts[n] === undefined) {
      const link = rows[n].querySelector("th");
      texts[n] = `${link.textContent} ${index.scenarios[n].at} ${index.scenarios[n].claims.join(" ")}`.toLowerCase();
    }
    return texts[n];
  }

  let waiting = 0;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
      listed = `#scenarios${query.size ? "?" : ""}${query}`;
      history.replaceState(null, "", listed);
      filter();
    }, 80);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { location.hash = "#scenarios"; setTimeout(filter); });

  // --- one scenario

  let asked = 0;

  async function show(id, query) {
    const turn = ++asked;
    const n = byId.get(id);
    if (n === undefined) {
      main.replaceChildren(make("p", {}, `There is no scenario ${id} in this report.`));
      return;
    }
    const each = index.scenarios[n];
    document.title = `${id} – Autograd conformance`;
    main.setAttribute("aria-busy", "true");
    const page = (await part(Math.floor(n / index.part)))[n % index.part];
    if (turn !== asked) return;
    let engine = index.engines.indexOf(query.get("engine"));
    if (engine < 0) engine = each.v.findIndex((v) => v > 0);
    if (engine < 0) engine = each.v.findIndex((v) => v === 0);
    main.replaceChildren(...heading(n, each, engine), ...content(page, engine));
    main.removeAttribute("aria-busy");
  }

  function heading(n, each, engine) {
    const row = rows[n].querySelector("th");
    const claims = each.claims.map((id) => {
      const [says, note, verdict, url] = index.claims[id] || [id, "", "", ""];
      return make("blockquote", {}, says, note ? make("p", {}, note) : null,
        make("cite", {}, url ? make("a", { href: url }, make("code", {}, id)) : make("code", {}, id), verdict ? ` (${verdict})` : ""));
    });
    const buttons = index.engines.map((name, e) => each.v[e] < 0 ? null : make("button",
      { type: "button", "aria-pressed": String(e === engine), onclick: () => { location.hash = `#scenario/${encodeURIComponent(each.id)}?engine=${encodeURIComponent(name)}`; } },
      `${name} `, tag(each.v[e])));
    return [
      make("p", { class: "links" }, make("a", { href: listed }, "Scenarios"), ` › ${rows[n].closest(".area").dataset.area} › `, make("code", {}, each.at)),
      make("h2", { tabindex: "-1" }, make("code", {}, each.id)),
      make("p", {}, row.querySelector("span").textContent),
      ...claims,
      make("div", { class: "engines-of", role: "group", "aria-label": "Engine" }, ...buttons),
      engine >= 0 && each.why[engine] ? make("p", { class: "why" }, each.why[engine]) : null,
    ].filter(Boolean);
  }

  function tag(v) {
    const [name, sign, kind] = index.verdicts[v];
    return make("span", { class: `tag ${kind}` }, `${sign} ${name}`);
  }

  function content(page, engine) {
    if (!page.told) return [make("p", {}, "It did not run.")];
    const own = page.engines[engine];
    const name = index.engines[engine];
    const found = [];
    if (page.claimed.length) {
      found.push(make("h3", {}, "The document says"), make("div", { class: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ...["", "", "the document", index.reference].map((head) => make("th", { scope: "col" }, head)))),
        make("tbody", {}, ...page.claimed.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, make("code", {}, cell)))))))));
    }
    found.push(make("h3", {}, "Statement by statement"), told(own ? own.told : page.told, own, name));
    found.push(...pictures(page, own, name));
    found.push(make("h3", {}, "To paste"), make("div", { class: "beside" },
      snippet(index.reference, own ? own.snippets[0] : page.snippet),
      name === undefined ? null : snippet(name, own ? own.snippets[1] : page.own[engine])));
    return found;
  }

  function told(statements, own, name) {
    const box = make("div", { class: "told" });
    const kind = own ? "rows" : name === undefined ? "rows alone" : "rows alike";
    box.append(make("div", { class: kind }, make("div", { class: "heads" }, make("span", {}), make("span", {}, index.reference), kind === "rows alone" ? "" : make("span", {}, name))));
    let step = 0;
    for (const [at, expected, line, again, source, first, lines, rows] of statements) {
      if (at !== step) { step = at; box.append(make("div", { class: "step" }, `step ${at + 1}`)); }
      const differs = rows.some((row) => row[3]);
      if (lines.length) box.append(listing(lines, first, differs && !again));
      if (expected) box.append(make("div", { class: "step" }, "expected after the step"));
      else if (rows.length && (again || !lines.length)) box.append(listing([source], line, differs, again));
      if (rows.length) {
        box.append(make("div", { class: kind }, ...rows.map(([what, there, here, bad]) => make("div", { class: bad ? "differs" : null },
          make("span", { class: "name" }, bad ? "✗ " : "", what), make("span", { "data-of": index.reference }, there),
          kind === "rows alone" ? "" : make("span", { "data-of": name, class: here === "=" || !here ? "same" : null }, here === undefined ? "=" : here)))));
      }
    }
    return box;
  }

  function listing(lines, first, differs, again) {
    const pre = make("pre", { class: differs ? "differs" : null });
    lines.forEach((line, n) => pre.append(make("span", { class: "n" }, String(first + n)),
      again ? make("span", { class: "again" }, `${again}: `) : "", ...code(line), n < lines.length - 1 ? "\n" : ""));
    return pre;
  }

  function pictures(page, own, name) {
    const graphs = own && own.graphs.length ? own.graphs : page.graph;
    if (!graphs.length) return [];
    const figures = graphs.slice(1).map((svg, n) => make("figure", {},
      make("figcaption", {}, `${n ? name : index.reference}, after ${graphs[0]}`), picture(svg)));
    return [make("h3", {}, "The graph"), make("div", { class: "beside" }, ...figures)];
  }

  function picture(svg) {
    if (!svg.startsWith("<svg")) return make("p", {}, svg);
    const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    return make("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Drawing of the graph" }, document.importNode(drawn, true));
  }

  function snippet(name, text) {
    const button = make("button", { type: "button", onclick: async () => {
      await copy(text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    } }, "Copy");
    return make("figure", {}, make("figcaption", {}, name, button), make("pre", { tabindex: "0" }, ...code(text)));
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { style: "position:fixed;opacity:0" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  // --- keys, and light or dark

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    const { view, id } = place();
    if (event.key === "Escape" && view === "scenario") location.hash = listed;
    else if (typing) { if (event.key === "Escape") event.target.blur(); }
    else if (event.key === "/") {
      event.preventDefault();
      if (view !== "scenarios") location.hash = listed;
      setTimeout(() => form.elements.text.focus(), 50);
    } else if ((event.key === "j" || event.key === "k") && chosen.length) {
      const at = view === "scenario" ? chosen.indexOf(byId.get(id)) : -1;
      const next = Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), chosen.length - 1);
      location.hash = `#scenario/${encodeURIComponent(index.scenarios[chosen[next]].id)}`;
    }
  });

  const root = document.documentElement;
  const kept = (() => { try { return localStorage; } catch { return {}; } })();
  if (kept.theme === "dark" || kept.theme === "light") root.dataset.theme = kept.theme;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = kept.theme = dark ? "light" : "dark";
  });

  window.addEventListener("hashchange", go);
  go();
})();
