
'use strict';

// The calculator computes what the page's table of needs was computed with, from
// the same figures. What it says is checked against that.
window.mcpbenchCalculator = (() => {
  const model = JSON.parse(document.getElementById('calculator-model').textContent);

  // logMass is the logarithm of P(B = k) for B binomial(n, p).
  function logMass(n, k, p) {
    let log = k * Math.log(p) + (n - k) * Math.log1p(-p);
    for (let i = 1; i <= k; i++) log += Math.log((n - k + i) / i);
    return log;
  }

  // quantile is the largest k with P(B < k) ≤ tail. It starts where there is less
  // than any tail below.
  function quantile(n, p, tail) {
    const mean = n * p;
    let k = Math.max(0, Math.trunc(mean - 12 * Math.sqrt(mean * (1 - p)) - 12));
    let mass = Math.exp(logMass(n, k, p));
    for (let below = mass; below <= tail && k < n; below += mass) {
      k++;
      mass *= ((n - k + 1) / k) * (p / (1 - p));
    }
    return k;
  }

  // inFlight is how many calls are in flight: the mean by Little's law, and how
  // many there are at most at nearly all moments.
  function inFlight(people, every, latency) {
    const p = latency / (every * 1e9);
    if (p >= 1) return { mean: people, most: people };
    return { mean: people * p, most: p > 0 ? quantile(people, p, model.crowded) : 0 };
  }

  const ends = ['lo', 'middle', 'hi'];
  const range = (of) => Object.fromEntries(ends.map((end) => [end, of(end)]));

  // memory is the peak with that many people and calls in flight, in bytes, and
  // never below what admitting them was seen to take.
  function memory(m, people, most) {
    const found = loaded(m, people, most);
    const floors = m.floors || [];
    for (const f of found.memory ? floors : []) {
      if (f.people > Math.max(people, floors[0].people)) break;
      found.memory.middle = Math.max(found.memory.middle, f.bytes);
      found.memory.hi = Math.max(found.memory.hi, f.bytes);
    }
    return found;
  }

  // loaded is the peak of a load, as the model or the steps have it.
  function loaded(m, people, most) {
    if (m.process) return { memory: range((end) => people * m.process[end]) };
    if (m.why) return { noMemory: m.why };
    if (people > m.people) return { noMemory: m.beyondPeople };
    if (m.base) {
      if (most > m.inFlight) return { noMemory: m.beyondInFlight };
      return { memory: range((end) => m.base[end] + people * m.held[end] + most * m.call[end]) };
    }
    const step = (m.steps || []).find((s) => s.inFlight >= most);
    if (!step) return { noMemory: m.beyondInFlight };
    const quiet = Math.max(people - step.people, 0);
    return { memory: range((end) => (end === 'lo' ? step.lo : step.hi) + quiet * m.held[end]) };
  }

  // need sizes the server for people who each call once in that many seconds. What
  // the record cannot carry has a reason in its place. Memory is in bytes, of all
  // processes; the limit is that of each; times are in nanoseconds.
  function need(surface, transport, people, every) {
    if (!(Number.isInteger(people) && people >= 1 && every > 0)) {
      const why = 'it takes one person or more, and a time above zero between calls';
      return { noLoad: why, noMemory: why, noCores: why, noP99: why };
    }
    const of = model.surfaces.find((s) => s.surface === surface && s.transport === transport);
    if (!of) {
      const why = `the record has no model of ${surface} over ${transport}`;
      return { noLoad: why, noMemory: why, noCores: why, noP99: why };
    }
    const perSecond = people / every;
    const n = { people, every, perSecond, processes: of.memory.process ? people : 1 };
    const load = of.loads.find((l) => l.perSecond >= perSecond);
    if (load) {
      const { mean, most } = inFlight(people, every, load.latency);
      Object.assign(n, { load: load.words, mean, most: Math.max(most, 1) });
      if (load.cpu.why) n.noCores = load.cpu.why; else n.cores = (load.cpu.amount * perSecond) / 1e9;
      if (load.p99.why) n.noP99 = load.p99.why; else n.p99 = load.p99.amount;
    } else {
      n.noLoad = n.noCores = n.noP99 = of.noLoad;
    }
    if (load || of.memory.process) Object.assign(n, memory(of.memory, people, n.most)); else n.noMemory = of.noLoad;
    if (n.memory) n.limit = (model.headroom * n.memory.hi) / n.processes;
    return n;
  }

  // significant writes three significant digits, whole numbers from a hundred up
  // in full, and groups thousands. Half-way goes to the even digit, as in Go.
  function significant(v) {
    const a = Math.abs(v);
    let decimals = 0;
    if (a > 0 && a < 100 && a !== Math.trunc(a)) {
      decimals = Math.min(Math.max(2 - Math.floor(Math.log10(a)), 0), 6);
    }
    let text = a.toFixed(decimals);
    const halfway = (a * 2 ** (decimals + 1)) % 2 === 1;
    if (halfway && /[13579]$/.test(text)) text = (a - 10 ** -(decimals + 1)).toFixed(decimals);
    const [whole, fraction] = text.split('.');
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
    const sign = v < 0 && /[1-9]/.test(text) ? '−' : '';
    return sign + grouped + (fraction ? `.${fraction}` : '');
  }

  // counted writes what was computed, no finer than anybody plans by.
  const counted = (v) => (v > 0 && v < model.finest ? `under ${model.finest}` : significant(v));

  const mebi = 2 ** 20;

  // spread writes bytes as MiB with their interval.
  function spread(m) {
    const [lo, middle, hi] = ends.map((end) => significant(m[end] / mebi));
    if (lo === middle && hi === middle) return `${middle} MiB`;
    const dash = (lo + hi).includes('−') ? ' to ' : '–'; // a sign would be taken for the dash
    return `${middle} MiB (${lo === hi ? lo : lo + dash + hi})`;
  }

  // grant is what to type into the limits of one process, in MiB: a limit, and the
  // collector's own below it.
  function grant(n) {
    const limit = Math.ceil(n.limit / mebi);
    return { request: Math.ceil(n.memory.middle / n.processes / mebi), limit, soft: Math.floor(model.softLimit * limit) };
  }

  const millicores = (n) => Math.max(1, Math.ceil((1000 * n.cores) / n.processes));

  // start is the command with the flags that the crowd needs, and the address to
  // serve it on.
  function start(of, people, address) {
    if (!of.command) return null;
    if (!of.clients) return of.command;
    return [...of.command, ...(address ? ['--http-addr', address] : []), of.clients, String(people)];
  }

  const list = (args) => `[${args.map((arg) => JSON.stringify(arg)).join(', ')}]`;

  const snippets = {
    kubernetes(n, g, of) {
      const command = start(of, n.people, ':8080');
      return [
        ...(command ? [`args: ${list(command.slice(1))}`] : []),
        'env:', '  - name: GOMEMLIMIT', `    value: ${g.soft}MiB`,
        'resources:', '  requests:', `    memory: ${g.request}Mi`,
        ...(n.cores === undefined ? [] : [`    cpu: ${millicores(n)}m`]),
        '  limits:', `    memory: ${g.limit}Mi`,
      ];
    },
    compose(n, g, of) {
      const command = start(of, n.people, ':8080');
      return [
        'services:', '  mcp:', '    image: …',
        ...(command ? [`    command: ${list(command.slice(1))}`] : []),
        ...(n.processes > 1 ? ['    stdin_open: true'] : []),
        '    environment:', `      GOMEMLIMIT: ${g.soft}MiB`,
        `    mem_reservation: ${g.request}m`, `    mem_limit: ${g.limit}m`,
      ];
    },
    systemd(n, g, of) {
      const command = start(of, n.people, '');
      return [
        '[Service]', `Environment=GOMEMLIMIT=${g.soft}MiB`, `MemoryMax=${g.limit}M`,
        ...(command ? [`ExecStart=/usr/local/bin/${command.join(' ')}`] : []),
      ];
    },
  };

  // snippet is what to paste into the settings of a platform.
  function snippet(n, platform, surface, transport) {
    if (!n.memory) return `# No limit can be given: ${n.noMemory}.`;
    const of = model.surfaces.find((s) => s.surface === surface && s.transport === transport);
    const each = of.memory.process ? ' Each of them has a process like this.' : '';
    return [
      `# ${significant(n.people)} people on ${surface} over ${transport}, a call of each every ${significant(n.every)} s.${each}`,
      `# From ${model.record.join(', ') || 'the record'}${model.host ? ` of ${model.host}` : ''}.`,
      ...snippets[platform](n, grant(n), of),
    ].join('\n');
  }

  const form = document.getElementById('calculator');
  const put = (id, text) => { document.getElementById(id).textContent = text; };

  function show() {
    const asked = form.elements;
    const [surface, transport] = [asked.surface.value, asked.transport.value];
    const n = need(surface, transport, Number(asked.people.value), Number(asked.every.value));
    const each = n.processes > 1 ? ' a process' : '';
    put('calc-memory', n.memory ? spread(n.memory) + (each && ' in all') : 'n/a');
    put('calc-limit', n.memory ? `${significant(Math.ceil(n.limit / mebi))} MiB${each}` : 'n/a');
    put('calc-cores', n.cores === undefined ? 'n/a' : counted(n.cores));
    put('calc-p99', n.p99 === undefined ? 'n/a' : `${significant(n.p99 / 1e6)} ms`);
    put('calc-inflight', n.mean === undefined ? 'n/a'
      : `${counted(n.mean)} on average, ${significant(n.most)} at most`);
    const reasons = [...new Set([n.noLoad, n.noMemory, n.noCores, n.noP99].filter(Boolean))];
    put('calc-reason', reasons.length ? `n/a: ${reasons.join('; ')}.` : '');
    put('calc-load', n.load
      ? `Times are those under ${n.load}; at most is at ${significant(100 * model.crowded)}% of all moments.` : '');
    put('calc-snippet', snippet(n, asked.snippet.value, surface, transport));
  }

  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', show);
  form.hidden = false;
  show();

  return Object.freeze({ model, need, significant, snippet });
})();
