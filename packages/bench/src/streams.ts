/**
 * Measures readers of running answers: 3,000 at once on one process, compared with a bare `node:http` that sends the
 * same. Run with `node src/streams.ts`; `--quick` uses fewer readers and writes nothing.
 */
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { median, runConditions, table, writeSection } from "./report.ts"
import { startMeasured } from "./rest/server.ts"
import { pause } from "./rest/subjects.ts"
import { openReaders } from "./streams/readers.ts"
import { answers, periodMs } from "./streams/shape.ts"

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values
const readers = quick ? 600 : 3_000
const warmReaders = 300
const settleMs = 3_000
const measureMs = quick ? 4_000 : 12_000
const loadBefore = loadavg()[0]!.toFixed(1)
/** The flags of `npm start`, for both servers. */
const flags = ["--max-semi-space-size=8", "--heap-growing-percent=50"]

const percentile = (sample: ReadonlyArray<number>, part: number): number =>
  sample.toSorted((a, b) => a - b)[Math.min(sample.length - 1, Math.floor(sample.length * part))] ?? NaN

interface Measured {
  readonly name: string
  readonly kibPerReader: number
  readonly delay: number
  readonly delayMost: number
  readonly first: number
  readonly firstMost: number
  readonly events: number
}

const measure = async (name: string, file: string): Promise<Measured> => {
  const started = await startMeasured({
    file: join(import.meta.dirname, "streams", file),
    flags,
    listens: /^listens on (\S+)/
  })
  const said = (what: string) => started.lines.find((line) => line.startsWith(`${what} `))?.slice(what.length + 1)
  // Both servers print this shape.
  const paths = JSON.parse(said("paths")!) as ReadonlyArray<string>
  const open = (count: number) => openReaders(started.address, paths, said("key"), count)
  const warm = await open(warmReaders)
  await pause(settleMs)
  warm.close()
  await pause(settleMs)
  const before = await started.memory()
  const { close, seen } = await open(readers)
  await pause(settleMs)
  seen.delays.length = 0
  await pause(measureMs)
  const { delays, first } = seen
  const expected = readers * measureMs / periodMs
  if (delays.length < 0.9 * expected) throw new Error(`${name}: ${delays.length} of ${expected} events came`)
  const after = await started.memory()
  const measured = {
    name,
    kibPerReader: (after.rss - before.rss) * 1_000_000 / 1_024 / readers,
    delay: median(delays),
    delayMost: percentile(delays, 0.99),
    first: median(first),
    firstMost: percentile(first, 0.99),
    events: delays.length
  }
  close()
  await started.stop()
  console.log(measured)
  return measured
}

/** Two rounds in turn, so that other load affects both servers. */
const rounds = quick ? 1 : 2
const bare: Array<Measured> = []
const service: Array<Measured> = []
for (let round = 0; round < rounds; round++) {
  bare.push(await measure("`node:http`, bare", "bare.ts"))
  service.push(await measure("Tapeline", "service.ts"))
}
const best = (all: ReadonlyArray<Measured>) => {
  const least = (of: (one: Measured) => number) => Math.min(...all.map(of))
  return {
    name: all[0]!.name,
    kibPerReader: least((one) => one.kibPerReader),
    delay: least((one) => one.delay),
    delayMost: least((one) => one.delayMost),
    first: least((one) => one.first),
    firstMost: least((one) => one.firstMost)
  }
}
const [ofBare, ofService] = [best(bare), best(service)]
const row = (one: ReturnType<typeof best>) => [
  one.name,
  one.kibPerReader.toFixed(1),
  one.delay.toFixed(1),
  one.delayMost.toFixed(1),
  one.first.toFixed(1),
  one.firstMost.toFixed(1)
]
const ratio = (of: (one: typeof ofBare) => number) => of(ofService) / of(ofBare)
const goal = 1.5
const verdict = (name: string, value: number) =>
  `${name} ${value.toFixed(2)} x, goal ${goal} x: ${value <= goal ? "met" : "not met"}.`
const section = `## Streams

${runConditions(new Date())}, load average before the run ${loadBefore}.
${readers.toLocaleString("en-US")} readers of ${answers} answers that run, each of which shows a little more every ${
  periodMs / 1_000
} s, on one
process; the readers are in another one on the same machine. Resident memory is what ${
  readers.toLocaleString("en-US")
} readers add to a process
that has served others before; a delay is from when an event is given to when it was read. The better of ${rounds}
rounds.

${
  table(
    [
      "process",
      "KiB a reader",
      "delay, median, ms",
      "delay, 99 %, ms",
      "request to first event, median, ms",
      "99 %, ms"
    ],
    [row(ofBare), row(ofService)]
  )
}

${verdict("Memory a reader", ratio((one) => one.kibPerReader))} ${
  verdict("Delay at 99 %", ratio((one) => one.delayMost))
}
`
console.log(section)
if (!quick) writeSection("streams", section)
