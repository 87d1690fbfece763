import { catalogueOf, specifications } from "@tapeline/core"
import { Effect } from "effect"
import { answered, type Call, type Known, type Question } from "./question.ts"
import { questions } from "./questions.ts"
import { type Calling, standingService } from "./standingService.ts"

/** The time of the questions: a Friday during New York's session, after Seoul's week. */
export const asked = "2026-11-20T15:30:00.000Z"

const catalogue = new Map(catalogueOf(specifications).map((entry) => [entry.name, entry]))

const takesAt = (tool: string): boolean => {
  const properties: unknown = catalogue.get(tool)?.parameters["properties"]
  return typeof properties === "object" && properties !== null && "at" in properties
}

/**
 * The arguments of a call. If the tool accepts `at`, adds the time of the questions, so that every run gets the same
 * result.
 */
const argumentsOf = ({ args, tool }: Call, known: Known): object => ({
  ...(typeof args === "function" ? args(known) : args),
  ...(takesAt(tool) ? { at: asked } : {})
})

interface Made {
  readonly question: Question
  readonly calls: ReadonlyArray<{ readonly tool: string; readonly args: object; readonly credits: number }>
  readonly words: string
  readonly quoted: ReadonlyMap<string, unknown>
}

const make = Effect.fnUntraced(function*(question: Question, calling: Calling) {
  let known: Known = {}
  const calls: Array<Made["calls"][number]> = []
  for (const call of question.calls) {
    const args = argumentsOf(call, known)
    const { credits, data } = yield* calling(call.tool, args)
    known = { ...known, [call.as]: data }
    calls.push({ tool: call.tool, args, credits })
  }
  return { question, calls, ...answered(question, known) } satisfies Made
})

const creditsOf = ({ calls }: Made): number => calls.reduce((total, { credits }) => total + credits, 0)
const told = (credits: number): string => `${credits} credit${credits === 1 ? "" : "s"}`

/** Escapes a text for single quotes of a shell. */
const shell = (text: string): string => text.replaceAll("'", String.raw`'\''`)

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, "").replaceAll(" ", "-")

const titleOf = ({ question: { asks } }: Made, i: number): string => `${i + 1}. ${asks}`

const section = (made: Made, i: number): ReadonlyArray<string> => {
  const toolOf = new Map(made.question.calls.map(({ as, tool }) => [as, tool]))
  const several = new Set(
    made.question.calls.filter(({ tool }, i, all) => all.findIndex((one) => one.tool === tool) !== i)
      .map(({ tool }) => tool)
  )
  const nameOf = (as: string): string => {
    const tool = toolOf.get(as)!
    if (!several.has(tool)) return tool
    const calls = made.question.calls.filter((one) => one.tool === tool)
    return `${tool} (${["first", "second", "third"][calls.findIndex((one) => one.as === as)]})`
  }
  return [
    `## ${titleOf(made, i)}`,
    "",
    `> ${made.words}`,
    "",
    `${told(creditsOf(made))}.`,
    "",
    "```sh no-run: npm run check:questions asks them",
    ...made.calls.map(({ args, tool }) =>
      `curl -s $TOOLS/${tool} -H "$KEY" -H "$JSON" -d '${shell(JSON.stringify(args))}'`
    ),
    "```",
    "",
    "| quoted from | field | value |",
    "|---|---|---|",
    ...[...made.quoted].map(([path, value]) => {
      const [as, ...rest] = path.split(".")
      return `| ${nameOf(as!)} | \`${rest.join(".")}\` | ${String(value)} |`
    }),
    ""
  ]
}

const document = (all: ReadonlyArray<Made>): string =>
  [
    `# ${all.length} questions that traders ask`,
    "",
    "Written by `npm run docs`: the calls below were asked over HTTP of the service as `npm start` runs it, on the simulated",
    `market of the default seed, at ${asked}. Every number of an answer is quoted from a result and rounded; the table`,
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
    ...all.map((made, i) =>
      `| [${made.question.asks}](#${anchorOf(titleOf(made, i))}) | ${creditsOf(made)} | ${
        [...new Set(made.calls.map(({ tool }) => `\`${tool}\``))].join(", ")
      } |`
    ),
    `| together | ${all.reduce((total, made) => total + creditsOf(made), 0)} | |`,
    "",
    ...all.flatMap(section)
  ].join("\n").trimEnd() + "\n"

/** Makes the calls and returns the document of the questions. */
export const questionsDocument = Effect.scoped(Effect.gen(function*() {
  const calling = yield* standingService(Date.parse(asked))
  return document(yield* Effect.forEach(questions, (question) => make(question, calling)))
}))
