import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerOpenAiModel } from "@tapeline/openai"
import { Effect, Layer } from "effect"
import { parseArgs } from "node:util"
import { layerEvaluationEngine, layerFixedClock } from "./engine.ts"
import { computePassRate, evaluateAll, formatFigures, formatTable, languages } from "./evaluate.ts"
import { checkModel, readModelSettings } from "./model.ts"
import { questions } from "./questions/all.ts"
import { heldOut } from "./questions/heldOut.ts"
import { unseen } from "./questions/unseen/unseen.ts"
import { formatParts, formatTrimming, formatUsage } from "./tokens/formatTokens.ts"
import { layerReplayedAnalyst, SentParts } from "./tokens/replayedAnalyst.ts"
import { logTokens, TokenLog } from "./tokens/TokenLog.ts"

const usage = `Asks a model the questions of the evaluation, and judges its answers by code.
Without OPENAI_MODEL the offline analyst is asked; with it, OPENAI_API_KEY and OPENAI_BASE_URL say where.

  npm run eval -- [--only <part of an id>] [--lang en|ko|ru] [--held-out | --unseen] [--show] [--threshold <percent>]
                   [--tokens]

Prints the tokens of a question as the provider reports them. With --tokens and without OPENAI_MODEL, the offline
analyst answers behind a simulated server, and the sizes of the requests are printed too.

Ends with 0 when as many pass as the threshold wants, with 1 when fewer do, with 2 when nothing could be asked.`

const options = {
  only: { type: "string" },
  lang: { type: "string" },
  "held-out": { type: "boolean", default: false },
  unseen: { type: "boolean", default: false },
  show: { type: "boolean", default: false },
  tokens: { type: "boolean", default: false },
  threshold: { type: "string", default: "95" },
  help: { type: "boolean", default: false }
} as const

const parseOptions = (args: ReadonlyArray<string>) => parseArgs({ args: [...args], options }).values
type Options = ReturnType<typeof parseOptions>

export interface EvaluationInput {
  readonly args: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly writeLine: (line: string) => void
}

export type ExitCode = 0 | 1 | 2

const selectQuestions = ({ "held-out": isHeldOut, lang, only, threshold, unseen: isUnseen }: Options) => {
  const selected = (isUnseen ? unseen : isHeldOut ? heldOut : questions)
    .filter(({ id }) => only === undefined || id.includes(only))
  const selectedLanguages = languages.filter((one) => lang === undefined || lang === one)
  const minPassRate = Number(threshold)
  const problem = selectedLanguages.length === 0
    ? `--lang is one of ${languages.join(", ")}`
    : selected.length === 0
    ? "no question has that in its id (--only)"
    : threshold.trim() === "" || !(minPassRate >= 0 && minPassRate <= 100)
    ? "--threshold is a percentage, from 0 to 100"
    : null
  return { selected, selectedLanguages, minPassRate, problem }
}

const runQuestions = Effect.fnUntraced(function*(values: Options, writeLine: EvaluationInput["writeLine"]) {
  const { selected, selectedLanguages, minPassRate, problem } = selectQuestions(values)
  const problemText = problem ?? (yield* checkModel)
  if (problemText !== null) {
    writeLine(problemText)
    return 2
  }
  const [log, sentParts] = yield* Effect.all([TokenLog, SentParts])
  // The request that checks the model belongs to no question.
  log.length = 0
  const verdicts = yield* evaluateAll(selected, selectedLanguages)
  for (const { faults, lang, question, reply } of verdicts) {
    const failed = faults.length > 0
    if (!failed && !values.show) continue
    writeLine(`\n${failed ? "FAILED" : "passed"} ${question.id} (${lang}): ${question.messages[lang].join(" / ")}`)
    for (const fault of faults) writeLine(`  ${fault}`)
    if (!values.show) continue
    for (const call of reply.calls) writeLine(`  > ${call.name} ${JSON.stringify(call.arguments)}`)
    writeLine(reply.text)
    for (const { text } of reply.unmatched) writeLine(`  without a source: ${text}`)
    for (const suggestion of reply.suggestions) writeLine(`  ? ${suggestion}`)
  }
  const rate = computePassRate(verdicts)
  writeLine(`\n${formatTable(verdicts)}`)
  if (log.length > 0) writeLine(`\n${formatUsage(log)}`)
  if (sentParts.length > 0) writeLine(`\n${formatParts(sentParts)}\n\n${yield* formatTrimming(verdicts)}`)
  writeLine(`\n${formatFigures(verdicts)}`)
  writeLine(`${rate.toFixed(1)} % of ${verdicts.length} pass (threshold ${minPassRate} %).`)
  return rate >= minPassRate ? 0 : 1
})

export const runEvaluation = async ({ args, environment, writeLine }: EvaluationInput): Promise<ExitCode> => {
  let values: Options
  try {
    values = parseOptions(args)
  } catch (error) {
    writeLine(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 2
  }
  if (values.help) {
    writeLine(usage)
    return 0
  }
  const settings = readModelSettings(environment)
  if ("problems" in settings) {
    for (const problem of settings.problems) writeLine(problem)
    return 2
  }
  const layerModel = settings.options !== null
    ? logTokens(layerOpenAiModel(settings.options))
    : values.tokens
    ? logTokens(layerReplayedAnalyst)
    : OfflineAnalyst
  const model = layerModel.pipe(Layer.orDie, Layer.provideMerge(Layer.merge(TokenLog.layer, SentParts.layer)))
  return Effect.runPromise(
    runQuestions(values, writeLine).pipe(
      Effect.provide(layerEvaluationEngine.pipe(Layer.provideMerge(model), Layer.provideMerge(layerFixedClock)))
    )
  )
}
