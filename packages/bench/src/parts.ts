/**
 * Measures how the CPU time of a call is distributed over the layers from Node's own HTTP to the complete service. The
 * bench also compares the CPU time of a complete call without HTTP with the sum of the call's steps.
 * `node src/parts.ts` runs the bench; `--quick` shortens the run.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { loadGenerator, loadOne, type LoadResult } from "./load/loadServers.ts"
import { parseKeys, type ServerUnderTest, startServerProgram } from "./load/serverUnderTest.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const connections = 64
const rounds = isQuick ? 1 : 5
const seconds = isQuick ? 3 : 5

/**
 * The maximum CPU time per call of the complete service, divided by the CPU time per call of a bare `node:http` server.
 */
const maxServiceRatio = 2.2
/** The maximum CPU time of a call without HTTP, divided by the total CPU time of the call's steps. */
const maxInProcessRatio = 1.3

const resolveFile = (file: string) => join(import.meta.dirname, "parts", file)

const layers = [
  { name: "`node:http`, parse and answer", file: "layerServer.ts", args: ["node"] },
  { name: "`HttpServer.serve`, the same", file: "layerServer.ts", args: ["serve"] },
  { name: "`HttpRouter`, one route", file: "layerServer.ts", args: ["router"] },
  { name: "`HttpApi`, one raw endpoint", file: "layerServer.ts", args: ["api"] },
  { name: "the whole service on memory stores", file: "service.ts", args: [] }
]

const startLayer = async ({ args, file, name }: (typeof layers)[number]): Promise<ServerUnderTest> => {
  const { address, lines, pid, stop } = await startServerProgram([resolveFile(file), ...args])
  return { name, url: `${address}/v1/tools/get_price`, keys: parseKeys(lines), pid, stop }
}

const subjects: Array<ServerUnderTest> = []
const samples = new Map<string, Array<LoadResult>>()
try {
  for (const layer of layers) subjects.push(await startLayer(layer))
  for (let round = 0; round <= rounds; round++) {
    for (const subject of subjects) {
      const measured = await loadOne(subject, connections, seconds)
      if (round > 0) samples.set(subject.name, [...samples.get(subject.name) ?? [], measured])
    }
  }
} finally {
  for (const subject of subjects) await subject.stop()
}

const medianUs = (name: string): number => median(samples.get(name)!.map(({ serverUs }) => serverUs ?? NaN))
const first = medianUs(layers[0]!.name)
const service = medianUs(layers.at(-1)!.name) / first
const layerTable = table(
  ["what", "CPU, µs per call", "of `node:http`"],
  layers.map(({ name }) => [name, medianUs(name).toFixed(0), `${(medianUs(name) / first).toFixed(2)} x`])
)

// The cast is safe, because `inProcess.ts` prints an object of numbers.
const partTimes = JSON.parse(
  execFileSync(process.execPath, [resolveFile("inProcess.ts"), ...isQuick ? ["--quick"] : []], { encoding: "utf8" })
) as Readonly<Record<string, number>>
const {
  "whole call": wholeCallUs = NaN,
  "key and ceiling": admissionUs = NaN,
  "one after the other": chainedUs = NaN,
  ...stepTimes
} = partTimes
const sum = Object.values(stepTimes).reduce((total, part) => total + part, 0)
const inProcess = table(["what", "CPU, µs"], [
  ...Object.entries(stepTimes).map(([name, part]) => [name, part.toFixed(1)]),
  ["the sum of these", sum.toFixed(1)],
  ["these steps in sequence, for which CPU caches are too small", chainedUs.toFixed(1)],
  ["a whole call", `${wholeCallUs.toFixed(1)} (${(wholeCallUs / sum).toFixed(2)} x the sum)`],
  ["key and rate limit, which HTTP checks before the call", admissionUs.toFixed(1)]
])

const formatGoal = (ratio: number, maxRatio: number): string =>
  `${ratio.toFixed(2)} x, goal ${maxRatio} x: ${ratio <= maxRatio ? "met" : "not met"}`
const text = [
  "## Where a call's time goes",
  "",
  `${
    runConditions(new Date())
  }. ${connections} connections by ${loadGenerator} call \`get_price\`. The table shows the`,
  `CPU time of the server's process: medians of ${rounds} rounds in which the servers take turns.`,
  "",
  layerTable,
  "",
  `The whole service compared with \`node:http\`: ${formatGoal(service, maxServiceRatio)}.`,
  "",
  "One call without HTTP, with 64 concurrent callers and stores in memory:",
  "",
  inProcess,
  "",
  `A whole call compared with the sum of its parts: ${formatGoal(wholeCallUs / sum, maxInProcessRatio)}.`
].join("\n")
console.log(text)
if (!isQuick) writeSection("parts", text)
