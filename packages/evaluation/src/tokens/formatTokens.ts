import { decodeSteps, GenerationStore, type Usage } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { Verdict } from "../evaluate.ts"
import { estimateTokens, type PartName, partNames } from "./requestParts.ts"
import type { LoggedRequest } from "./TokenLog.ts"

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, n) => total + n, 0)

const formatCount = (n: number): string => Math.round(n).toLocaleString("en-US")

const formatShare = (part: number, whole: number): string => `${(whole === 0 ? 0 : 100 * part / whole).toFixed(1)} %`

const formatRow = (name: string, cells: ReadonlyArray<string>): string =>
  [name.padEnd(28), ...cells.map((cell) => cell.padStart(10))].join(" ")

const describeNumbers = (numbers: ReadonlyArray<number>): ReadonlyArray<string> => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return [
    sum(numbers) / Math.max(1, numbers.length),
    sorted[Math.floor(sorted.length / 2)] ?? 0,
    sorted.at(-1) ?? 0
  ].map(formatCount)
}

const usageRows: ReadonlyArray<readonly [name: string, field: keyof Usage]> = [
  ["input", "inputTokens"],
  ["  of which cached", "cachedTokens"],
  ["output", "outputTokens"],
  ["  of which reasoning", "reasoningTokens"]
]

/** Formats the tokens of each question, including the requests for suggested questions and summaries. */
export const formatUsage = (log: ReadonlyArray<LoggedRequest>): string => {
  const questions = [...Map.groupBy(log, ({ question }) => question).values()]
  const reported = questions.filter((requests) => requests.every(({ usage }) => usage !== null))
  const rows = usageRows.map(([name, field]) =>
    formatRow(name, describeNumbers(reported.map((requests) => sum(requests.map(({ usage }) => usage?.[field] ?? 0)))))
  )
  return [
    formatRow("tokens per question", ["mean", "median", "max"]),
    ...rows,
    formatRow("requests", describeNumbers(questions.map((requests) => requests.length))),
    `The provider reported the usage of ${reported.length} of ${questions.length} questions.`
  ].join("\n")
}

/** Formats the parts of the input of answers, in tokens per request. */
export const formatParts = (requests: ReadonlyArray<Readonly<Record<PartName, number>>>): string => {
  const total = sum(requests.map((parts) => sum(Object.values(parts))))
  const rows = partNames.map((name) => {
    const tokens = sum(requests.map((parts) => parts[name]))
    return formatRow(name, [formatCount(tokens / Math.max(1, requests.length)), formatShare(tokens, total)])
  })
  return [formatRow("input per request", ["tokens", "share"]), ...rows].join("\n")
}

/** Formats the size of tool results before and after they are shortened for the model. */
export const formatTrimming = Effect.fnUntraced(function*(verdicts: ReadonlyArray<Verdict>) {
  const store = yield* GenerationStore
  const sizes: Array<{ readonly whole: number; readonly sent: number }> = []
  for (const { reply } of verdicts) {
    const steps = decodeSteps(yield* store.listSteps(reply.generation.id))
    const results = steps.flatMap((step) => [...step.results.values()])
    // Results that replace a call, such as given facts, have no call to compare with.
    if (results.length !== reply.calls.length) continue
    sizes.push({
      whole: sum(reply.calls.map(({ data }) => estimateTokens(JSON.stringify(data)))),
      sent: sum(results.map(({ text }) => estimateTokens(text)))
    })
  }
  const [whole, sent] = [sum(sizes.map((size) => size.whole)), sum(sizes.map((size) => size.sent))]
  return [
    formatRow("tool results per question", ["mean", "median", "max"]),
    formatRow("before trimming", describeNumbers(sizes.map((size) => size.whole))),
    formatRow("after trimming", describeNumbers(sizes.map((size) => size.sent))),
    `Trimming saves ${formatShare(whole - sent, whole)} of the tokens of tool results.`
  ].join("\n")
})
