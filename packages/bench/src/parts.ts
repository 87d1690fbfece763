/**
 * Shows where the CPU time of a call goes. Compares the layers from Node's own HTTP to the complete service, each
 * server in its own process under the same load, in turns. Then compares one call in process with the sum of its parts.
 * Run with `node src/parts.ts`; `--quick` shortens the run.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { generator, load, type Measured } from "./load/load.ts"
import { keysIn, start, type Subject } from "./load/subject.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const quick = process.argv.includes("--quick")
const connections = 64
const rounds = quick ? 1 : 5
const seconds = quick ? 3 : 5

/** The maximum CPU time of the complete service on memory stores, relative to Node's own HTTP. */
const goal = 2.2
/** The maximum CPU time of a call in process, relative to the sum of its parts. */
const goalInProcess = 1.3

const here = (file: string) => join(import.meta.dirname, "parts", file)

const ladder = [
  { name: "`node:http`, parse and answer", file: "rung.ts", args: ["node"] },
  { name: "`HttpServer.serve`, the same", file: "rung.ts", args: ["serve"] },
  { name: "`HttpRouter`, one route", file: "rung.ts", args: ["router"] },
  { name: "`HttpApi`, one raw endpoint", file: "rung.ts", args: ["api"] },
  { name: "the whole service on memory stores", file: "service.ts", args: [] }
]

const startRung = async ({ args, file, name }: (typeof ladder)[number]): Promise<Subject> => {
  const { address, lines, pid, stop } = await start({ name, file: here(file), args, listens: /^listens on (\S+)/ })
  return { name, url: `${address}/v1/tools/get_price`, keys: keysIn(lines), pid, stop }
}

const subjects: Array<Subject> = []
const samples = new Map<string, Array<Measured>>()
try {
  for (const rung of ladder) subjects.push(await startRung(rung))
  for (let round = 0; round <= rounds; round++) {
    for (const subject of subjects) {
      const measured = await load(subject, connections, seconds)
      if (round > 0) samples.set(subject.name, [...samples.get(subject.name) ?? [], measured])
    }
  }
} finally {
  for (const subject of subjects) await subject.stop()
}

const us = (name: string): number => median(samples.get(name)!.map(({ serverUs }) => serverUs ?? NaN))
const first = us(ladder[0]!.name)
const service = us(ladder.at(-1)!.name) / first
const rungs = table(
  ["what", "us of the processor a call", "of `node:http`"],
  ladder.map(({ name }) => [name, us(name).toFixed(0), `${(us(name) / first).toFixed(2)} x`])
)

// `inProcess.ts` prints this shape.
const parts = JSON.parse(
  execFileSync(process.execPath, [here("inProcess.ts"), ...quick ? ["--quick"] : []], { encoding: "utf8" })
) as Readonly<Record<string, number>>
const {
  "whole call": whole = NaN,
  "key and ceiling": admission = NaN,
  "one after the other": chained = NaN,
  ...steps
} = parts
const sum = Object.values(steps).reduce((total, part) => total + part, 0)
const inProcess = table(["what", "us of the processor"], [
  ...Object.entries(steps).map(([name, part]) => [name, part.toFixed(1)]),
  ["the sum of these", sum.toFixed(1)],
  ["these one after the other, which no cache holds at once", chained.toFixed(1)],
  ["a whole call", `${whole.toFixed(1)} (${(whole / sum).toFixed(2)} x the sum)`],
  ["its key and its ceiling, which HTTP asks before", admission.toFixed(1)]
])

const met = (ratio: number, most: number): string =>
  `${ratio.toFixed(2)} x, goal ${most} x: ${ratio <= most ? "met" : "not met"}`
const text = [
  "## Where a call's time goes",
  "",
  `${runConditions(new Date())}. ${connections} connections by ${generator}; \`get_price\`; processor time of the`,
  `server's process, medians of ${rounds} rounds in which the servers take turns.`,
  "",
  rungs,
  "",
  `The whole service beside \`node:http\`: ${met(service, goal)}.`,
  "",
  "One call in process, 64 callers at a time, stores in memory:",
  "",
  inProcess,
  "",
  `A call beside the sum of its parts: ${met(whole / sum, goalInProcess)}.`
].join("\n")
console.log(text)
if (!quick) writeSection("parts", text)
