/**
 * Measures 3,000 concurrent readers of running answers on one process, in comparison with a bare `node:http` that sends
 * equal events. `node src/streams.ts` runs the bench; `--quick` uses fewer readers and writes no report.
 */
import { loadavg } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startFlags } from "./load/settings.ts"
import { median, runConditions, table, writeSection } from "./report.ts"
import { startMeasuredServer } from "./rest/measuredServer.ts"
import { sleep } from "./rest/startServers.ts"
import { answerCount, periodMs } from "./streams/answerTiming.ts"
import { openReaders } from "./streams/readers.ts"

const { quick: isQuick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values
const readerCount = isQuick ? 600 : 3_000
const warmupReaderCount = 300
const settleMs = 3_000
const measureMs = isQuick ? 4_000 : 12_000
const loadBefore = loadavg()[0]!.toFixed(1)

const percentile = (sample: ReadonlyArray<number>, quantile: number): number =>
  sample.toSorted((a, b) => a - b)[Math.min(sample.length - 1, Math.floor(sample.length * quantile))] ?? NaN

interface StreamResult {
  readonly name: string
  readonly kibPerReader: number
  readonly delay: number
  readonly delayP99Ms: number
  readonly first: number
  readonly firstEventP99Ms: number
  readonly events: number
}

const measure = async (name: string, file: string): Promise<StreamResult> => {
  const started = await startMeasuredServer(join(import.meta.dirname, "streams", file), startFlags)
  const printedValue = (prefix: string) =>
    started.lines.find((line) => line.startsWith(`${prefix} `))?.slice(prefix.length + 1)
  // The cast is safe, because the two servers print the paths as a JSON array.
  const paths = JSON.parse(printedValue("paths")!) as ReadonlyArray<string>
  const open = (count: number) => openReaders(started.address, paths, printedValue("key"), count)
  const warmupReaders = await open(warmupReaderCount)
  await sleep(settleMs)
  warmupReaders.close()
  await sleep(settleMs)
  const before = await started.memory()
  const { close, measurements } = await open(readerCount)
  await sleep(settleMs)
  measurements.delays.length = 0
  await sleep(measureMs)
  const { delays, firstEventMs } = measurements
  const expected = readerCount * measureMs / periodMs
  if (delays.length < 0.9 * expected) throw new Error(`${name}: only ${delays.length} of ${expected} events arrived`)
  const after = await started.memory()
  const measured = {
    name,
    kibPerReader: (after.rss - before.rss) * 1_000_000 / 1_024 / readerCount,
    delay: median(delays),
    delayP99Ms: percentile(delays, 0.99),
    first: median(firstEventMs),
    firstEventP99Ms: percentile(firstEventMs, 0.99),
    events: delays.length
  }
  close()
  await started.stop()
  console.log(measured)
  return measured
}

/** The number of rounds. Both servers run once per round, so that load from other programs affects both servers. */
const rounds = isQuick ? 1 : 2
const bareRuns: Array<StreamResult> = []
const service: Array<StreamResult> = []
for (let round = 0; round < rounds; round++) {
  bareRuns.push(await measure("`node:http`, bare", "bare.ts"))
  service.push(await measure("Tapeline", "service.ts"))
}
const bestOfRounds = (all: ReadonlyArray<StreamResult>) => {
  const minOf = (getValue: (one: StreamResult) => number) => Math.min(...all.map(getValue))
  return {
    name: all[0]!.name,
    kibPerReader: minOf((one) => one.kibPerReader),
    delay: minOf((one) => one.delay),
    delayP99Ms: minOf((one) => one.delayP99Ms),
    first: minOf((one) => one.first),
    firstEventP99Ms: minOf((one) => one.firstEventP99Ms)
  }
}
const [bareBest, serviceBest] = [bestOfRounds(bareRuns), bestOfRounds(service)]
const row = (one: ReturnType<typeof bestOfRounds>) => [
  one.name,
  one.kibPerReader.toFixed(1),
  one.delay.toFixed(1),
  one.delayP99Ms.toFixed(1),
  one.first.toFixed(1),
  one.firstEventP99Ms.toFixed(1)
]
const ratio = (getValue: (one: typeof bareBest) => number) => getValue(serviceBest) / getValue(bareBest)
const goal = 1.5
const formatGoal = (name: string, value: number) =>
  `${name} ${value.toFixed(2)} x, goal ${goal} x: ${value <= goal ? "met" : "not met"}.`
const section = `## Streams

${runConditions(new Date())}, load average before the run ${loadBefore}.
${readerCount.toLocaleString("en-US")} readers of ${answerCount} running answers, each of which shows more text every ${
  periodMs / 1_000
} s, on one
process. The readers run in another process on the same machine. Memory is the resident memory that ${
  readerCount.toLocaleString("en-US")
} readers add
to a process that has served other readers before. A delay is the time from the creation of an event until a reader has
read it. The table shows the better of ${rounds} rounds.

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
    [row(bareBest), row(serviceBest)]
  )
}

${formatGoal("Memory a reader", ratio((one) => one.kibPerReader))} ${
  formatGoal("Delay at 99 %", ratio((one) => one.delayP99Ms))
}
`
console.log(section)
if (!isQuick) writeSection("streams", section)
