import { makeCatalogue, specifications } from "@tapeline/core"
import { Effect } from "effect"
import { type CallTool, startServiceAt } from "./fixedTimeService.ts"
import { type Call, type CallResults, type Question, renderAnswer } from "./question.ts"
import { questions } from "./questions.ts"

/**
 * A Friday during New York's trading session, after the end of Seoul's trading week, at which all questions are asked.
 */
export const questionTime = "2026-11-20T15:30:00.000Z"

const catalogue = new Map(makeCatalogue(specifications).map((entry) => [entry.name, entry]))

const acceptsAt = (tool: string): boolean => {
  const properties: unknown = catalogue.get(tool)?.parameters["properties"]
  return typeof properties === "object" && properties !== null && "at" in properties
}

/**
 * Returns the arguments of a tool call. If the tool accepts the argument `at`, adds the fixed time at which all
 * questions are asked.
 */
const makeArguments = ({ args, tool }: Call, results: CallResults): object => ({
  ...(typeof args === "function" ? args(results) : args),
  ...(acceptsAt(tool) ? { at: questionTime } : {})
})

interface AnsweredQuestion {
  readonly question: Question
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly args: object; readonly credits: number }>
  readonly words: string
  readonly quoted: ReadonlyMap<string, unknown>
}

const answerQuestion = Effect.fnUntraced(function*(question: Question, callTool: CallTool) {
  let results: CallResults = {}
  const calls: Array<AnsweredQuestion["calls"][number]> = []
  for (const call of question.calls) {
    const args = makeArguments(call, results)
    const { credits, data } = yield* callTool(call.tool, args)
    results = { ...results, [call.resultName]: data }
    calls.push({ tool: call.tool, args, credits })
  }
  return { question, calls, ...renderAnswer(question, results) } satisfies AnsweredQuestion
})

const totalCredits = ({ calls }: AnsweredQuestion): number => calls.reduce((total, { credits }) => total + credits, 0)
const formatCredits = (credits: number): string => `${credits} credit${credits === 1 ? "" : "s"}`

const escapeForShell = (text: string): string => text.replaceAll("'", String.raw`'\''`)

const toAnchor = (title: string): string => title.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-")

const sectionTitle = ({ question: { question } }: AnsweredQuestion, i: number): string => `${i + 1}. ${question}`

const renderSection = (answered: AnsweredQuestion, i: number): ReadonlyArray<string> => {
  const toolByName = new Map(answered.question.calls.map(({ resultName, tool }) => [resultName, tool]))
  const repeatedTools = new Set(
    answered.question.calls.filter(({ tool }, i, answeredQuestions) =>
      answeredQuestions.findIndex((one) => one.tool === tool) !== i
    )
      .map(({ tool }) => tool)
  )
  const displayName = (as: string): string => {
    const tool = toolByName.get(as)!
    if (!repeatedTools.has(tool)) return tool
    const calls = answered.question.calls.filter((one) => one.tool === tool)
    return `${tool} (${["first", "second", "third"][calls.findIndex((one) => one.resultName === as)]})`
  }
  return [
    `## ${sectionTitle(answered, i)}`,
    "",
    `> ${answered.words}`,
    "",
    `${formatCredits(totalCredits(answered))}.`,
    "",
    "```sh no-run: npm run check:questions makes these calls",
    ...answered.calls.map(({ args, tool }) =>
      `curl -s $TOOLS/${tool} -H "$KEY" -H "$JSON" -d '${escapeForShell(JSON.stringify(args))}'`
    ),
    "```",
    "",
    "| tool | field | value |",
    "|---|---|---|",
    ...[...answered.quoted].map(([path, value]) => {
      const [as, ...rest] = path.split(".")
      return `| ${displayName(as!)} | \`${rest.join(".")}\` | ${String(value)} |`
    }),
    ""
  ]
}

const renderDocument = (answeredQuestions: ReadonlyArray<AnsweredQuestion>): string =>
  [
    `# ${answeredQuestions.length} questions that traders ask`,
    "",
    "`npm run docs` writes this page. It makes the calls below over HTTP to the service of `npm start`, with the simulated",
    `market of the default seed, at ${questionTime}. Each number in an answer is a rounded value of a result. The table below`,
    "each answer lists the results, the fields and the exact values. A test repeats the calls, and fails if a number differs",
    "or if the numbers no longer support the words of the answer. All data is simulated.",
    "",
    "A call with `at` always returns the same numbers. Any other call returns the numbers of the time of the call. Run the",
    "calls in a shell with these variables, and with the key that the first start printed:",
    "",
    "```sh no-run: npm run check:questions makes these calls",
    "TOOLS=http://127.0.0.1:8787/v1/tools",
    "KEY='authorization: Bearer tl_live_...'",
    "JSON='content-type: application/json'",
    "```",
    "",
    "| question | credits | tools |",
    "|---|---|---|",
    ...answeredQuestions.map((answered, i) =>
      `| [${answered.question.question}](#${toAnchor(sectionTitle(answered, i))}) | ${totalCredits(answered)} | ${
        [...new Set(answered.calls.map(({ tool }) => `\`${tool}\``))].join(", ")
      } |`
    ),
    `| total | ${answeredQuestions.reduce((total, answered) => total + totalCredits(answered), 0)} | |`,
    "",
    ...answeredQuestions.flatMap(renderSection)
  ].join("\n").trimEnd() + "\n"

export const questionsDocument = Effect.scoped(Effect.gen(function*() {
  const callTool = yield* startServiceAt(Date.parse(questionTime))
  return renderDocument(yield* Effect.forEach(questions, (question) => answerQuestion(question, callTool)))
}))
