// The search of the list. The input and the chosen filters become a state. A state becomes an address
// and an answer.
(() => {
  "use strict";
  const { state: states, address, facets, keys, delayed, painted } = skillbuild;
  // The number of cards that are drawn first and fill a screen, that an answer has at first, and that
  // the button adds.
  const AT_ONCE = 6;
  const FIRST = 20;
  const MORE = 80;
  const NAMES = /name|title|path|group/;
  // All fields except the text of a skill. The name of a missing field is empty.
  const ABOUT = /^(?!body|headings|$)/;
  // If the catalog has more skills than this, their days are loaded only to sort by them.
  const FEW = 5000;
  // Milliseconds without a key until the address is updated, until a screen reader is told about the
  // result, and until further typing counts as a new search.
  const REMEMBER = 300;
  const TELL = 700;
  const SETTLED = 2000;


  skillbuild.page = async (load) => {
    const at = (id) => document.getElementById(id);
    const [input, count, sort, panel, listing] = ["search", "count", "sort", "filters", "listing"].map(at);
    const sections = [...document.querySelectorAll("[data-facet]")];
    const sorts = [...(sort?.options ?? [])].map(({ value }) => value);
    // The titles that are shown instead of the names of groups.
    const titles = new Map(Object.entries(JSON.parse(listing.dataset.titles ?? "{}")));
    const filters = skillbuild.filters(sections, titles);
    const keeper = address.keeper(location, history);
    const index = await skillbuild.openIndex(load);
    // The list of a group, a license or a tag is the list of the catalog with a fixed filter.
    const { by, within, total = index.count, guess } = listing.dataset;
    const narrowing = (chosen) => (by ? new Map([...chosen, [by, [within]]]) : chosen);
    // Every answer needs the days, so they are loaded before the first query.
    const isDated = sorts.includes("date") && index.count < FEW;
    if (isDated) index.order("date");

    let state = states.EMPTY;
    let shown = FIRST;
    let ticket = 0;
    // Whether the current input has no answer yet.
    let isPending = false;
    // A promise of the current or last answer.
    let drawing = null;
    // The last answer, or null without a query or filters. `base` has the skills that match any of the words,
    // and `strong` has those of them that are not folded. Both ignore filters.
    let answered = null;
    // The groups of the displayed skills.
    let groups = [];

    // The order of the published list, which also applies to filters without a query.
    const usual = sorts[1];
    const orderOf = ({ sort: chosen, query }) => chosen || (query.trim() ? "" : usual);
    const ordered = async (numbers) => {
      const by = orderOf(state);
      if (!by) return numbers;
      numbers.sort((one, other) => one - other);
      if (by === "path") return numbers;
      const keys = await index.order(by);
      const way = by === "date" ? -1 : 1;
      return numbers.sort((one, other) => way * (keys[one] - keys[other]));
    };
    const find = async ({ query, chosen: values }, isGuess = query === guess, isMeant = false) => {
      const chosen = narrowing(values);
      // Words from the address of a missing page are compared only with names, not with texts.
      const isIn = (fields) => (number) => result.where(number).some((field) => fields.test(field));
      const named = (numbers) => (isGuess ? numbers.filter(isIn(NAMES)) : numbers);
      const result = await index.find(query);
      // A query of punctuation alone has no words and matches nothing.
      const unasked = query.trim() ? [] : [...Array(index.count).keys()];
      let [strong, weak] = result ? [result.matches, result.also].map(named) : [unasked, []];
      const isWeak = !strong.length && weak.length > 0;
      if (isWeak) [strong, weak] = [weak, strong];
      const all = chosen.size ? await facets.known(index, chosen) : new Map();
      const narrow = (numbers) => ordered(facets.narrowed(all, chosen, index.count, numbers));
      const matches = await narrow(strong);
      const weaker = await narrow(weak);
      const base = [...strong, ...weak];
      const near = base.length || isMeant ? [] : await index.near(query);
      // If no skill has the words, search for words with a similar spelling.
      if (near.length) {
        const meant = await find({ query: near.join(" "), chosen: values }, isGuess, true);
        return { ...meant, result: { ...meant.result, edited: [[query.trim(), near]] } };
      }
      const inText = result && !strong.some(isIn(ABOUT));
      return { query: query.trim(), isGuess, result, strong, base, matches, weaker, isWeak, inText };
    };

    // Without the delay, a screen reader would read an answer for every letter.
    const tell = delayed(() => {
      at("told").textContent = [count, at("notes")].map((place) => place.textContent).filter(Boolean).join("; ");
    }, TELL);
    const showFacets = async () => {
      // Facets need a large part of the index, and are usually hidden on a phone. Measuring whether they
      // are visible would cause a second layout, so this checks the width of the screen.
      const isShown = matchMedia("(min-width: 60rem)").matches || panel?.classList.contains("open");
      if (!panel || !isShown) return;
      const answer = answered;
      if (!answer) return filters.restore();
      // Count only the skills that are shown.
      const numbers = at("also").open ? answer.base : answer.strong;
      const chosen = narrowing(state.chosen);
      const all = await facets.known(index, chosen, groups);
      if (answer === answered) filters.show(facets.counts(all, chosen, index.count, numbers), state.chosen);
    };
    const showSort = () => {
      if (!sort) return;
      // Without a query, there is no best match.
      sort.options[0].hidden = !state.query.trim();
      sort.value = orderOf(state);
    };
    const respond = async (mine, wanted) => {
      // The page of groups shows only the groups that contain the query.
      for (const tile of document.querySelectorAll(".groups li")) tile.hidden = !tile.textContent.toLowerCase().includes(wanted.query.trim().toLowerCase());
      if (states.isPlain(wanted, usual)) {
        if (!answered) return;
        answered = null;
        results.restore();
      } else {
        const answer = await find(wanted);
        const numbers = [...answer.matches, ...answer.weaker].slice(0, shown);
        const first = shown > FIRST ? shown : AT_ONCE;
        const day = wanted.sort === "added" ? "added" : "date";
        const days = isDated || wanted.sort === day ? await index.order(day) : [];
        const read = async (some) =>
          (await index.rows(some)).map((row, place) => {
            const number = some[place];
            return { ...row, day: days[number], fields: answer.result?.where(number) };
          });
        const rows = await read(numbers.slice(0, first));
        if (mine !== ticket) return;
        answered = answer;
        results.show(answer, rows, wanted.chosen);
        await painted();
        const others = await read(numbers.slice(first));
        if (mine !== ticket) return;
        results.finish(answer, others, rows.length);
        groups = [...rows, ...others].map(({ group }) => group);
      }
      tell.plan();
      await showFacets();
    };
    const work = async () => {
      const mine = ++ticket;
      answering.cancel();
      isPending = false;
      listing.ariaBusy = true;
      showSort();
      try {
        await respond(mine, state);
      } catch (error) {
        if (mine === ticket) skillbuild.fail(error);
      }
      if (mine === ticket) listing.ariaBusy = false;
    };
    const draw = () => (drawing = work());
    const answering = delayed(draw, 0);
    const remembering = delayed(() => keeper.remember(state, true), REMEMBER);

    const become = (next) => {
      remembering.cancel();
      state = next;
      shown = FIRST;
      keeper.remember(state, false);
      return draw();
    };
    const ask = (query) => {
      input.value = query;
      input.focus();
      return become(states.typed(state, query));
    };
    const unfilter = () => {
      state = states.unfiltered(state);
      return ask(input.value);
    };
    const clear = () => {
      input.value = "";
      return unfilter();
    };
    const toggle = (facet, value) => become(states.toggled(state, facet, value));
    const more = async () => {
      const from = shown;
      history.replaceState((shown += MORE), "");
      await draw();
      results.links()[from]?.focus();
    };
    const results = skillbuild.results({ titles, total, more, clear, unfilter, toggle });

    let last = 0;
    const type = () => {
      if (performance.now() - last > SETTLED) keeper.settle();
      last = performance.now();
      state = states.typed(state, input.value);
      shown = FIRST;
      isPending = true;
      answering.plan();
      remembering.plan();
    };
    // While a character is composed from several keys, the input is incomplete.
    input.addEventListener("input", (event) => event.isComposing || type());
    input.addEventListener("compositionend", type);
    const settle = () => {
      remembering.cancel();
      keeper.remember(state, true);
      keeper.settle();
    };
    input.addEventListener("blur", settle);

    addEventListener("keydown", async (event) => {
      const inField = document.activeElement === input;
      const place = results.links().indexOf(document.activeElement);
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (place === keys.FIELD && !inField) return;
      // If the answer is not there yet, wait for it: the key means its first result.
      if (inField && /Enter|Down/.test(event.key)) await (isPending ? draw() : drawing);
      const links = results.links();
      const goal = keys.goal(event.key, place, links.length - 1);
      if (goal === undefined) return;
      event.preventDefault();
      if (goal !== keys.FIELD) return links[goal].focus();
      if (!inField) return input.focus();
      if (!input.value) return input.blur();
      ask("");
    });

    const recall = () => {
      state = address.read(location.search, sections.map((section) => section.dataset.facet), sorts);
      input.value = state.query;
      shown = history.state ?? FIRST;
      keeper.recalled(state);
      return draw();
    };
    addEventListener("popstate", recall);
    at("also").addEventListener("toggle", showFacets);
    const typed = input.value;
    await recall();
    // Somebody may have typed before this script was loaded.
    if (typed && typed !== state.query) {
      input.value = typed;
      type();
    }
    return { toggle, showFacets, sort: (order) => become(states.sorted(state, order)) };
  };
})();
