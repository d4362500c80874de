// The search of the list: what is typed and chosen becomes a state, a state an address and an answer.
(() => {
  "use strict";
  const { state: states, address, facets, keys, delayed, painted } = skillbuild;
  // Cards that fill a screen and are drawn before anything else is done, those that follow, and those
  // of a button.
  const AT_ONCE = 6;
  const FIRST = 20;
  const MORE = 80;
  const NAMES = /name|title|path|group/;
  // All but the text of a skill, or nothing at all.
  const ABOUT = /^(?!body|headings|$)/;
  // Of more skills than this, the days of all are loaded only by who sorts by them.
  const FEW = 5000;
  // Milliseconds without a key until the address and the words for a screen reader follow, and until
  // what is typed next counts as another search.
  const REMEMBER = 300;
  const TELL = 700;
  const SETTLED = 2000;


  skillbuild.page = async (load) => {
    const at = (id) => document.getElementById(id);
    const [input, count, sort, panel, listing] = ["search", "count", "sort", "filters", "listing"].map(at);
    const sections = [...document.querySelectorAll("[data-facet]")];
    const sorts = [...(sort?.options ?? [])].map(({ value }) => value);
    // What is shown in place of the names of groups.
    const titles = new Map(Object.entries(JSON.parse(listing.dataset.titles ?? "{}")));
    const filters = skillbuild.filters(sections, titles);
    const keeper = address.keeper(location, history);
    const index = await skillbuild.openIndex(load);
    // The list of a group, a license or a tag is that of the catalog, narrowed by what nobody chooses.
    const { by, within, total = index.count, guess } = listing.dataset;
    const narrowing = (chosen) => (by ? new Map([...chosen, [by, [within]]]) : chosen);
    // The days are part of every answer, so they are on their way before there is a question.
    const isDated = sorts.includes("date") && index.count < FEW;
    if (isDated) index.order("date");

    let state = states.EMPTY;
    let shown = FIRST;
    let ticket = 0;
    // Whether something was typed that has no answer yet.
    let isPending = false;
    // The answer that is made, or was made last.
    let drawing = null;
    // The last answer; null where the list is plain. Whatever is chosen, its `base` is what has any of the
    // words, and `strong` what is shown of that unfolded.
    let answered = null;
    // The groups of the skills that are shown.
    let groups = [];

    // The order of the list as it was published, which is also that of filters without words.
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
      // What an address that has no page names is not in the text of a skill, but in its name.
      const isIn = (fields) => (number) => result.where(number).some((field) => fields.test(field));
      const named = (numbers) => (isGuess ? numbers.filter(isIn(NAMES)) : numbers);
      const result = await index.find(query);
      // A query of signs alone has no words, and matches nothing.
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
      // Words that no skill has mean those that are spelled much alike.
      if (near.length) {
        const meant = await find({ query: near.join(" "), chosen: values }, isGuess, true);
        return { ...meant, result: { ...meant.result, edited: [[query.trim(), near]] } };
      }
      const inText = result && !strong.some(isIn(ABOUT));
      return { query: query.trim(), isGuess, result, strong, base, matches, weaker, isWeak, inText };
    };

    // A screen reader would read each state of a word to its end.
    const tell = delayed(() => {
      at("told").textContent = [count, at("notes")].map((place) => place.textContent).filter(Boolean).join("; ");
    }, TELL);
    const showFacets = async () => {
      // Their part of the index is large, and on a phone they are hidden most of the time. To ask
      // the page for what is visible would lay it out twice.
      const isShown = matchMedia("(min-width: 60rem)").matches || panel?.classList.contains("open");
      if (!panel || !isShown) return;
      const answer = answered;
      if (!answer) return filters.restore();
      // Only what is shown is counted.
      const numbers = at("also").open ? answer.base : answer.strong;
      const chosen = narrowing(state.chosen);
      const all = await facets.known(index, chosen, groups);
      if (answer === answered) filters.show(facets.counts(all, chosen, index.count, numbers), state.chosen);
    };
    const showSort = () => {
      if (!sort) return;
      // Without words nothing matches better than another.
      sort.options[0].hidden = !state.query.trim();
      sort.value = orderOf(state);
    };
    const respond = async (mine, wanted) => {
      // The page of groups shows those that have what is sought.
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
    // What is not finished has no meaning yet where characters are composed of several keys.
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
      // Who is quicker than the answer means the first result of what is typed by now.
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
    // Somebody may have been quicker than this script.
    if (typed && typed !== state.query) {
      input.value = typed;
      type();
    }
    return { toggle, showFacets, sort: (order) => become(states.sorted(state, order)) };
  };
})();
