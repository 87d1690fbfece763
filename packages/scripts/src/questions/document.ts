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
    "```sh no-run: npm run check:questions asks them",
    ...answered.calls.map(({ args, tool }) =>
      `curl -s $TOOLS/${tool} -H "$KEY" -H "$JSON" -d '${escapeForShell(JSON.stringify(args))}'`
    ),
    "```",
    "",
    "| quoted from | field | value |",
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
    "Written by `npm run docs`: the calls below were asked over HTTP of the service as `npm start` runs it, on the simulated",
    `market of the default seed, at ${questionTime}. Every number of an answer is quoted from a result and rounded; the table`,
    "below each answer says from where. A test asks again, and fails when a number differs or when the words no longer",
    "follow from the numbers. It is not the real market.",
    "",
    "Calls with an `at` give the same numbers whenever you ask them; the others tell of the time at which you ask. They are",
    "run in a shell that knows where the service is, and the key that its first start printed:",
    "",
    "```sh no-run: npm run check:questions asks them",
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
    `| together | ${answeredQuestions.reduce((total, answered) => total + totalCredits(answered), 0)} | |`,
    "",
    ...answeredQuestions.flatMap(renderSection)
  ].join("\n").trimEnd() + "\n"

export const questionsDocument = Effect.scoped(Effect.gen(function*() {
  const callTool = yield* startServiceAt(Date.parse(questionTime))
  return renderDocument(yield* Effect.forEach(questions, (question) => answerQuestion(question, callTool)))
}))
