"use strict";
(async () => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const DOCS = "https://docs.pytorch.org/docs/2.13";

  // --- elements

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== null && value !== false && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
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

  // --- the data, unpacked when it is needed

  async function unpack(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (char) => char.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  const index = await unpack("index");
  const all = index.scenarios;
  const ids = new Map(all.id.map((id, n) => [id, n]));
  const cases = new Map();
  all.id.forEach((id, n) => {
    const base = id.split("[")[0];
    if (!cases.has(base)) cases.set(base, []);
    cases.get(base).push(n);
  });
  const parts = new Map();

  async function page(n) {
    const number = Math.floor(n / index.part);
    if (!parts.has(number)) parts.set(number, unpack(`part-${number}`));
    const columns = await parts.get(number);
    return Object.fromEntries(Object.entries(columns).map(([key, values]) => [key, values[n % index.part]]));
  }

  const why = (n, e) => index.reasons[all.why[e][n]];
  const verdictOf = (n, e) => index.verdicts[all.v[e][n]];
  const at = (n) => `${index.files[all.file[n]]}:${all.line[n]}`;
  const isFailing = (v) => v >= 0 && Boolean(index.verdicts[v][4]);

  // What a search looks at: names, reasons, the program, and what was raised.
  let texts = null;
  async function searchable() {
    if (texts) return texts;
    const found = [];
    for (let n = 0; n < all.id.length; n++) {
      const { steps, statements, engines } = await page(n);
      const lists = [statements || [], ...Object.values(engines || {})];
      const raised = lists.flat().flatMap((each) => each[5]).filter((row) => row[0] === "raises").map((row) => row.slice(1).join(" "));
      found.push([all.id[n], all.title[n], at(n), ...all.claims[n].map((c) => index.claims[c][0]),
        ...index.engines.map((_, e) => why(n, e)), ...(steps || []).map((step) => step[1]), ...raised].join("\n").toLowerCase());
    }
    texts = found;
    return texts;
  }

  // --- where we are: #view?filter, or #scenario/id?filter&show=engine

  function place() {
    const [path, query] = location.hash.slice(1).split("?");
    const [view, ...rest] = (path || "overview").split("/");
    return { view, id: decodeURIComponent(rest.join("/")), query: new URLSearchParams(query || "") };
  }

  function address(view, query, more = {}) {
    const wanted = new URLSearchParams(query);
    for (const [key, value] of Object.entries(more)) if (value) wanted.set(key, value); else wanted.delete(key);
    return `#${view}${wanted.size ? "?" : ""}${wanted}`;
  }

  const scenarioAddress = (n, query, show) => address(`scenario/${encodeURIComponent(all.id[n])}`, query, { show });
  const KEYS = ["text", "engine", "verdict", "tier", "area", "document"];
  const only = (query, keys) => new URLSearchParams([...query].filter(([key, value]) => value && keys.includes(key)));
  let moved = false;

  async function go() {
    const { view, id, query } = place();
    const section = document.getElementById(view) || document.getElementById("overview");
    if (!section.matches("main > section")) return;
    for (const each of document.querySelectorAll("main > section")) each.classList.toggle("current", each === section);
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${section.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const form = section.querySelector("form.filter");
    if (form) for (const field of form.elements) if (field.name) field.value = query.get(field.name) || "";
    if (section.id === "scenario") await show(id, query);
    else {
      document.title = "Autograd conformance";
      if (lists[section.id]) await lists[section.id](query, section);
    }
    if (moved) window.scrollTo(0, 0);
    moved = true;
  }

  // --- lists

  const words = (query) => (query.get("text") || "").toLowerCase().split(/\s+/).filter(Boolean);

  async function chosen(query) {
    const wanted = words(query);
    const searched = wanted.length ? await searchable() : null;
    const engine = index.engines.indexOf(query.get("engine"));
    const engines = engine >= 0 ? [engine] : index.engines.map((_, n) => n);
    const name = query.get("verdict");
    const verdict = index.verdicts.findIndex((each) => each[0] === name);
    const fits = (v) => v >= 0 && (!name || (name === "failing" ? isFailing(v) : name === "not agrees" ? v > 0 : v === verdict));
    const tier = index.tiers.indexOf(query.get("tier"));
    const area = index.areas.indexOf(query.get("area"));
    const document_ = query.get("document");
    const found = [];
    for (let n = 0; n < all.id.length; n++) {
      if ((!engines.length || engines.some((e) => fits(all.v[e][n])) || (!name && engine < 0))
        && (!query.get("tier") || all.tier[n] === tier)
        && (!query.get("area") || all.area[n] === area)
        && (!document_ || all.claims[n].some((c) => index.claims[c][0].startsWith(`${document_}/`)))
        && (!searched || wanted.every((word) => searched[n].includes(word)))) found.push(n);
    }
    return found;
  }

  function mark(v) {
    if (v < 0) return make("td", { class: "v" });
    const [name, sign, kind] = index.verdicts[v];
    return make("td", { class: `v ${kind}`, title: name }, sign, make("span", { class: "unseen" }, ` ${name}`));
  }

  function row(n, query, engine) {
    const explains = engine >= 0 ? engine : index.engines.findIndex((_, e) => why(n, e));
    return make("tr", { "data-n": n },
      make("th", { scope: "row" }, make("a", { href: scenarioAddress(n, query) }, all.id[n]),
        make("span", {}, all.title[n]), explains >= 0 && why(n, explains) ? make("em", {}, why(n, explains)) : ""),
      ...index.engines.map((_, e) => mark(all.v[e][n])));
  }

  function table(numbers, query) {
    const engine = index.engines.indexOf(query.get("engine"));
    return make("table", { class: "list" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "scenario"),
        ...index.engines.map((name) => make("th", { scope: "col", class: "v" }, name)))),
      make("tbody", {}, ...numbers.map((n) => row(n, query, engine))));
  }

  // A group whose content is made when it is opened.
  function group(attributes, head, open, content) {
    const made = make("details", attributes, make("summary", {}, ...head));
    const fill = () => { if (made.children.length === 1) made.append(...content()); };
    made.addEventListener("toggle", () => { if (made.open) fill(); });
    if (open) { fill(); made.open = true; }
    return made;
  }

  const MOST = 400;

  async function listScenarios(query, section) {
    const filter = only(query, KEYS);
    const found = await chosen(filter);
    const byArea = new Map();
    for (const n of found) {
      if (!byArea.has(all.area[n])) byArea.set(all.area[n], []);
      byArea.get(all.area[n]).push(n);
    }
    const open = filter.size > 0 && (found.length <= MOST || filter.has("area"));
    const sorted = [...byArea].sort(([one], [other]) => (index.areas[one] < index.areas[other] ? -1 : 1));
    section.querySelector(".found").replaceChildren(...sorted.map(([area, numbers]) => group(
      { class: "area", "data-area": index.areas[area] }, [index.areas[area], " ", make("span", { class: "count" }, String(numbers.length))],
      open, () => [table(numbers, filter)])));
    count(section, filter, found.length, all.id.length);
  }

  function count(section, filter, number, of) {
    section.querySelector("form output").textContent = filter.size ? `${number} of ${of}` : "";
  }

  function listCauses(ofFailures) {
    return async (query, section) => {
      const filter = only(query, ["engine", "verdict", "text"]);
      const wanted = words(filter);
      const mine = index.causes.filter((cause) => (index.verdicts[cause[1]][0] === "unsupported") !== ofFailures);
      const found = mine.filter(([engine, v, what, operation, statements]) =>
        (!filter.get("engine") || index.engines[engine] === filter.get("engine"))
        && (!filter.get("verdict") || index.verdicts[v][0] === filter.get("verdict"))
        && wanted.every((word) => [what, operation, ...statements.map((each) => each[0])].join("\n").toLowerCase().includes(word)));
      section.querySelector(".found").replaceChildren(...found.map(([engine, v, what, operation, statements, numbers]) => {
        const [name, sign, kind] = index.verdicts[v];
        const to = new URLSearchParams({ engine: index.engines[engine] || "", verdict: name });
        return group({ class: "cause" }, [make("span", { class: `tag ${kind}` }, `${sign} ${numbers.length}`), " ",
          make("b", {}, index.engines[engine] || "all engines"), ` ${what}`, ...(operation ? [" after ", make("code", {}, operation)] : [])], false,
        () => [statements.length ? make("ul", { class: "statements" }, ...statements.map(([text, times]) =>
          make("li", {}, make("code", {}, text), times > 1 ? ` × ${times}` : ""))) : "",
        make("ul", {}, ...numbers.slice(0, 200).map((n) => make("li", {}, make("a", { href: scenarioAddress(n, to) }, all.id[n]), ` ${all.title[n]}`)),
          numbers.length > 200 ? make("li", {}, `and ${numbers.length - 200} more`) : "")]);
      }));
      count(section, filter, found.length, mine.length);
    };
  }

  const COLOURS = { confirmed: "ok", refuted: "bad", imprecise: "known", drifted: "known", "not observed": "none" };
  const STATUS = { agrees: "ok", differs: "bad", unsupported: "lacks" };

  function claimRow([id, says, note, verdict, url, numbers, fails, statuses, claimed]) {
    const shown = [...fails, ...numbers.filter((n) => !fails.includes(n))];
    return make("tr", {}, make("th", { scope: "row" },
      make("span", { class: `tag ${COLOURS[verdict] || "bad"}` }, verdict), " ", make("code", {}, id),
      make("blockquote", {}, says), note ? make("p", {}, note) : "", ...claimed.map(([scenario, cells]) => document_(scenario, cells)),
      make("p", { class: "links" }, url ? make("a", { href: url }, "the document") : "",
        ...shown.slice(0, 12).map((n) => make("a", { href: scenarioAddress(n, ""), class: fails.includes(n) ? "fails" : null }, all.id[n])),
        shown.length > 12 ? `and ${shown.length - 12} more` : "")),
    ...statuses.map((status) => make("td", { class: `v ${STATUS[status] || ""}` }, status || "–")));
  }

  function document_(scenario, cells) {
    const table_ = make("table", { class: "claimed" }, make("caption", {}, scenario || ""),
      make("thead", {}, make("tr", {}, ...["step", "expression", "the document", index.reference].map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...cells.map((each) => make("tr", {}, ...each.map((cell) => make("td", {}, make("code", {}, cell)))))));
    return make("div", { class: "scroll" }, table_);
  }

  async function listClaims(query, section) {
    const filter = only(query, ["document", "verdict", "engine", "does", "text"]);
    const wanted = words(filter);
    const engine = index.engines.indexOf(filter.get("engine"));
    const does = filter.get("does");
    const found = index.claims.filter((claim) => (!filter.get("document") || claim[0].startsWith(`${filter.get("document")}/`))
      && (!filter.get("verdict") || claim[3] === filter.get("verdict"))
      && (!does || (engine >= 0 ? claim[7][engine] === does : claim[7].includes(does)))
      && wanted.every((word) => `${claim[0]}\n${claim[1]}\n${claim[2]}`.toLowerCase().includes(word)));
    const open = filter.size > 0 && found.length <= MOST;
    section.querySelector(".found").replaceChildren(...index.documents.map(([key, title]) => {
      const own = found.filter((claim) => claim[0].startsWith(`${key}/`));
      return own.length ? group({ class: "document" }, [title, " ", make("span", { class: "count" }, String(own.length))], open,
        () => [make("table", { class: "list" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "claim, and what torch does"),
          ...index.engines.map((name) => make("th", { scope: "col", class: "v" }, name)))), make("tbody", {}, ...own.map(claimRow)))]) : "";
    }).filter(Boolean));
    count(section, filter, found.length, index.claims.length);
  }

  const lists = { scenarios: listScenarios, failures: listCauses(true), unsupported: listCauses(false), claims: listClaims };

  for (const form of document.querySelectorAll("form.filter")) {
    const section = form.closest("section");
    let waiting = 0;
    form.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
        history.replaceState(null, "", address(section.id, query));
        lists[section.id](query, section);
      }, 120);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => { location.hash = `#${section.id}`; });
  }

  // --- one scenario

  const main = document.getElementById("scenario");
  let asked = 0;
  let near = [null, null];

  async function show(id, query) {
    const turn = ++asked;
    const n = ids.get(id);
    near = [null, null];
    if (n === undefined) {
      const several = cases.get(id.split("[")[0]) || [];
      main.replaceChildren(make("h2", {}, make("code", {}, id)), several.length
        ? make("p", {}, id.includes("[") ? `There is no such case in this report; these are there:` : `${several.length} cases:`)
        : make("p", {}, `There is no scenario ${id} in this report.`), several.length ? table(several, new URLSearchParams()) : "");
      return;
    }
    document.title = `${id} – Autograd conformance`;
    main.setAttribute("aria-busy", "true");
    const filter = only(query, KEYS);
    const [one, listed] = await Promise.all([page(n), chosen(filter)]);
    if (turn !== asked) return;
    const wanted = [query.get("show"), query.get("engine")].map((name) => index.engines.indexOf(name)).filter((e) => e >= 0 && all.v[e][n] >= 0);
    const engines = index.engines.map((_, e) => e);
    const engine = wanted.length ? wanted[0] : engines.find((e) => all.v[e][n] > 0) ?? engines.find((e) => all.v[e][n] === 0) ?? -1;
    const here = listed.indexOf(n);
    near = [listed[here - 1] ?? null, listed[here + 1] ?? null].map((each) => (each === null ? null : scenarioAddress(each, filter, query.get("show"))));
    main.replaceChildren(...heading(n, engine, filter, here, listed.length, one), ...content(one, engine, n));
    main.removeAttribute("aria-busy");
  }

  function heading(n, engine, filter, here, of, one) {
    const claims = all.claims[n].map((c) => {
      const [id, says, note, verdict, url] = index.claims[c];
      return make("blockquote", {}, says, note ? make("p", {}, note) : "",
        make("cite", {}, url ? make("a", { href: url }, make("code", {}, id)) : make("code", {}, id), verdict ? ` (${verdict})` : ""));
    });
    const buttons = index.engines.map((name, e) => (all.v[e][n] < 0 ? "" : make("button",
      { type: "button", "aria-pressed": String(e === engine), onclick: () => { location.hash = scenarioAddress(n, filter, name); } },
      `${name} `, tag(all.v[e][n]))));
    const step = (which, sign) => make("button", { type: "button", class: which, disabled: near[which === "next" ? 1 : 0] === null ? "" : null,
      onclick: () => { location.hash = near[which === "next" ? 1 : 0]; } }, sign);
    return [
      make("div", { class: "steps" }, make("a", { href: address("scenarios", filter) }, filter.size ? "the list" : "all scenarios"),
        step("previous", "‹ previous"), step("next", "next ›"), make("span", { class: "count" }, here < 0 ? "" : `${here + 1} of ${of}`)),
      make("h2", { tabindex: "-1" }, make("code", {}, all.id[n])),
      make("p", {}, all.title[n]),
      make("p", { class: "links" }, index.areas[all.area[n]], " · ", make("code", {}, at(n)), ...documented(one)),
      ...claims,
      make("div", { class: "engines-of", role: "group", "aria-label": "Engine" }, ...buttons),
      engine >= 0 && why(n, engine) ? make("p", { class: "why" }, why(n, engine)) : "",
    ].filter(Boolean);
  }

  // The pages of torch's documentation on what the program names.
  const NAMED = /\b(torch(?:\.\w+)+|nn\.[A-Z]\w+|F\.\w+|optim\.[A-Z]\w+)/g;
  function documented({ steps }) {
    const names = new Set();
    for (const [, program] of steps || []) {
      for (const [name] of program.matchAll(NAMED)) {
        names.add(name.replace(/^nn\./, "torch.nn.").replace(/^F\./, "torch.nn.functional.").replace(/^optim\./, "torch.optim."));
      }
    }
    const plain = /^torch\.(tensor|float\d*|double|int\d*|long|bool|complex\d*|ones|zeros|manual_seed)$/;
    return [...names].filter((name) => !plain.test(name)).slice(0, 4).flatMap((name) => {
      const page_ = /^torch\.(nn\.|nn\.functional\.|optim\.|linalg\.|fft\.)?\w+$/.test(name) ? `generated/${name}.html` : `search.html?q=${encodeURIComponent(name)}`;
      return [" · ", make("a", { href: `${DOCS}/${page_}` }, name)];
    });
  }

  function tag(v) {
    const [name, sign, kind, meaning] = index.verdicts[v];
    return make("span", { class: `tag ${kind}`, title: meaning }, `${sign} ${name}`);
  }

  function content(one, engine, n) {
    if (!one.steps) return [make("p", {}, "It did not run.")];
    const of = (key) => (one[key] || {})[engine];
    const own = of("engines");
    const name = index.engines[engine];
    const found = [];
    if (one.claimed) found.push(make("h3", {}, "The document says"), document_("", one.claimed));
    found.push(make("h3", {}, "Statement by statement"), statementTable(one.steps, own || one.statements || [], own, name));
    if (of("traceback")) found.push(make("h3", {}, `Where ${name} raised it`), make("pre", { class: "trace", tabindex: "0" }, of("traceback")));
    found.push(...pictures(one, of("graphs"), name));
    const lines = one.steps.flatMap(([, program]) => program.split("\n"));
    const text = (list) => list.flatMap((each) => (typeof each === "string" ? [each] : lines.slice(...each))).join("\n");
    found.push(make("h3", {}, "To paste"), make("div", { class: "beside" },
      snippet(index.reference, text(own ? of("snippets")[0] : one.snippet)),
      own || of("own") ? snippet(name, text(own ? of("snippets")[1] : of("own"))) : ""));
    return found;
  }

  function statementTable(steps, statements, own, name) {
    const kind = own ? "rows" : name === undefined ? "rows alone" : "rows alike";
    const heads = make("div", { class: kind }, make("div", { class: "heads" }, make("span", {}), make("span", {}, index.reference), kind === "rows alone" ? "" : make("span", {}, name)));
    const box = make("div", { class: "listing" }, heads);
    const given = steps.map(() => 0);
    let step = 0;
    const cell = ([what, there, here, bad]) => make("div", { class: bad === 1 ? "differs" : bad ? "unclaimed" : null },
      make("span", { class: "name" }, bad === 1 ? "✗ " : "", what), make("span", { "data-of": index.reference }, there),
      kind === "rows alone" ? "" : make("span", { "data-of": name, class: here ? null : "same" }, here === undefined ? "=" : here));
    for (const [number, expected, line, again, length, rows] of statements) {
      const [first, program] = steps[number];
      const lines = program.split("\n");
      if (number !== step) { step = number; box.append(make("div", { class: "step" }, `step ${number + 1}`)); }
      const differs = rows.some((each) => each[3] === 1);
      if (length) box.append(listing(lines.slice(given[number], given[number] + length), first + given[number], differs && !again));
      given[number] += length;
      if (expected) box.append(make("div", { class: "step" }, "expected after the step"));
      else if (rows.length && (again || !length)) box.append(listing([(lines[line - first] || "").trim()], line, differs, again));
      const unclaimed = rows.filter((each) => each[3] === 2);
      if (rows.length > unclaimed.length) box.append(make("div", { class: kind }, ...rows.filter((each) => each[3] !== 2).map(cell)));
      if (unclaimed.length) {
        box.append(make("details", { class: "folded" }, make("summary", {}, `${unclaimed.length === 1 ? "1 difference" : `${unclaimed.length} differences`} in facets that ${name} does not claim`),
          make("div", { class: kind }, ...unclaimed.map(cell))));
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

  // --- drawings

  function pictures(one, differing, name) {
    const graphs = differing || one.graph;
    if (!graphs) return [];
    const figures = graphs.slice(1).map((drawn, n) => {
      const title = `The graph on ${n ? name : index.reference}, after ${graphs[0]}`;
      return make("figure", {}, make("figcaption", {}, title), picture(drawn, title));
    });
    return [make("h3", {}, "The graph"), make("div", { class: "beside" }, ...figures)];
  }

  function shape(name, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function picture(drawn, title) {
    if (typeof drawn === "string") return make("p", {}, drawn);
    const [width, height, boxes, arrows] = drawn;
    const inner = shape("g", { transform: "translate(10 10)" });
    const sizes = boxes.map(([, lines, tensors]) => [7.25 * Math.max(...[...lines, ...tensors].map((line) => line.length)) + 18, (lines.length + tensors.length) * 16 + 8]);
    // Several arrows of one box are side by side, in the order of the boxes at their other ends.
    const port = (box, side, number) => {
      const mine = arrows.map((each, n) => [each[side], boxes[each[1 - side]][3], n]).filter((each) => each[0] === box).sort((a, b) => a[1] - b[1]);
      const step = Math.min(18, sizes[box][0] / (mine.length + 1));
      return boxes[box][3] + (mine.findIndex((each) => each[2] === number) - (mine.length - 1) / 2) * step;
    };
    arrows.forEach((arrow, number) => {
      const [start, end] = arrow;
      const label = typeof arrow.at(-1) === "string" ? arrow.at(-1) : "";
      const points = [port(start, 0, number), boxes[start][4] + sizes[start][1] / 2, ...arrow.slice(2).filter((each) => each !== label),
        port(end, 1, number), boxes[end][4] - sizes[end][1] / 2];
      let path = `M${points[0]} ${points[1]}`;
      for (let i = 2; i < points.length; i += 2) {
        const [x, y, toX, toY] = points.slice(i - 2, i + 2);
        path += x === toX ? `V${toY}` : `C${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2} ${toX} ${toY}`;
      }
      const [x, y] = points.slice(-2);
      inner.append(shape("path", { d: path }), shape("path", { class: "tip", d: `M${x} ${y}l-4 -8h8z` }));
      if (label) inner.append(shape("text", { class: "number", x: points[0] + 4, y: points[1] + 11 }, label));
    });
    boxes.forEach(([kind, lines, tensors, x, y, retained], number) => {
      const [wide, high] = sizes[number];
      inner.append(shape("g", { class: kind + (retained ? " retained" : "") }, shape("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high }),
        ...[...lines, ...tensors].map((line, n) => shape("text", { class: n < lines.length ? "" : "tensor", x, y: y - high / 2 + 16 + n * 16 }, line))));
    });
    const svg = shape("svg", { class: "graph", viewBox: `0 0 ${width + 20} ${height + 20}`, width: width + 20, height: height + 20, role: "img" }, shape("title", {}, title), inner);
    return make("div", { class: "picture", tabindex: "0", role: "region", "aria-label": title }, svg);
  }

  // --- snippets

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

  document.addEventListener("keydown", async (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    const { view, query } = place();
    if (event.key === "Escape" && view === "scenario") location.hash = address("scenarios", only(query, KEYS));
    else if (typing) { if (event.key === "Escape") event.target.blur(); }
    else if (event.key === "/") {
      event.preventDefault();
      const section = document.querySelector("section.current");
      if (!section.querySelector("form.filter")) location.hash = address("scenarios", only(query, KEYS));
      setTimeout(() => document.querySelector("section.current form.filter").elements.text.focus(), 50);
    } else if (event.key === "j" || event.key === "k") {
      if (view === "scenario") {
        const to = near[event.key === "j" ? 1 : 0];
        if (to) location.hash = to;
      } else {
        const filter = only(view === "scenarios" ? query : new URLSearchParams(), KEYS);
        const [first] = await chosen(filter);
        if (first !== undefined) location.hash = scenarioAddress(first, filter);
      }
    }
  });

  const kept = (() => { try { return localStorage; } catch { return {}; } })();
  if (kept.theme === "dark" || kept.theme === "light") root.dataset.theme = kept.theme;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = kept.theme = dark ? "light" : "dark";
  });

  window.addEventListener("hashchange", go);
  await go();
  root.classList.add("ready");
})();
