import { isConfirmation, type ModelRequest, type ModelTurn } from "@tapeline/core/agent"
import type { Schema } from "effect"
import { Data, type Finding, Findings } from "./Findings.ts"
import type { Desk, Intent, Planned } from "./intent.ts"
import { intentsOf, partsOf, partsOfEach, readingsFor } from "./intents.ts"
import { acceptedCall, nothingToAccept } from "./intents/accepted.ts"
import { cause } from "./intents/news.ts"
import {
  amendedPosition,
  doubtfulWrite,
  questionBeside,
  requestedElsewhere,
  requestedWrites,
  statedPosition,
  unstatedWrite
} from "./intents/requested.ts"
import { openPosition } from "./intents/statedPosition.ts"
import { ofNoMarket } from "./intents/talk.ts"
import { trend } from "./intents/trend.ts"
import { saysProposed } from "./proposing.ts"
import { unreadWords } from "./reading/coverage.ts"
import { type Reading, unnamed } from "./reading/reading.ts"
import { requestText } from "./reading/requestText.ts"
import { withoutPartialWrites } from "./unused.ts"
import { compose } from "./writing/compose.ts"
import { formatOf } from "./writing/format.ts"
import { fill } from "./writing/text.ts"

export type Step =
  | { readonly _tag: "Ask"; readonly calls: ReadonlyArray<Planned> }
  | { readonly _tag: "Write"; readonly text: string }

/** The maximum number of steps of an answer that call tools. */
const mostSteps = 4
const mostCalls = 8

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isArguments = (value: unknown): value is Planned["arguments"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const resultsOf = (turns: ReadonlyArray<ModelTurn>): ReadonlyArray<Finding> => {
  const current = turns.slice(turns.findLastIndex(({ _tag }) => _tag === "User") + 1)
  const asked = new Map(
    current.flatMap((turn) => turn._tag === "Assistant" ? turn.calls.map((call) => [call.callId, call] as const) : [])
  )
  return current.flatMap((turn): ReadonlyArray<Finding> => {
    if (turn._tag !== "Result") return []
    const args = parsed(asked.get(turn.callId)?.arguments ?? "{}")
    return [{
      name: turn.name,
      arguments: isArguments(args) ? args : {},
      ok: turn.ok,
      data: new Data(parsed(turn.text) ?? { message: turn.text.slice(0, 200) })
    }]
  })
}

const factsOf = ({ brief, tools }: ModelRequest): ReadonlyArray<Finding> =>
  Object.entries(brief.facts).flatMap(([name, value]) =>
    tools.some((tool) => tool.name === name) || /^get_[a-z_]{2,40}$/.test(name)
      ? [{ name, arguments: null, ok: true, data: new Data(value) }]
      : []
  )

const subjectKeys = ["coin", "symbol"] as const

const answered = (found: Findings, { arguments: args, name }: Planned): boolean =>
  found.all.some((finding) => {
    if (finding.name !== name) return false
    if (finding.arguments !== null) return JSON.stringify(finding.arguments) === JSON.stringify(args)
    return subjectKeys.every((key) => args[key] === undefined || finding.data.str(key) === args[key])
  })

/** Returns whether a call lacks a required instrument because no question named an instrument. */
const holdsUnnamed = (value: Schema.Json): boolean =>
  typeof value === "string"
    ? value === unnamed
    : typeof value === "object" && value !== null && Object.values(value).some(holdsUnnamed)

const writing: ReadonlySet<string> = new Set(["watch", "recordPosition"])

/** Intents that also match a message that only states a position. */
const besidePositions: ReadonlySet<string> = new Set(["trend", "price", "levels", "outside", "positions"])

export const understood = (
  request: ModelRequest
): { readonly reading: Reading; readonly intents: ReadonlyArray<Intent> } => {
  const readings = readingsFor(request.brief)
  const last = readings[readings.length - 1]
  const reading = last ?? readings[0]
  const { accepted, question: typed } = request.brief
  const earlier = request.brief.earlier.map(({ question }) => question)
  const question = requestText(typed, openPosition(earlier)?.coin ?? null)
  if (accepted !== null) return { reading, intents: [acceptedCall(accepted)] }
  if (isConfirmation(typed)) return { reading, intents: [nothingToAccept] }
  const requested = amendedPosition(typed, earlier) ?? requestedWrites(question)
  if (requested === null) {
    const unstated = unstatedWrite(question)
    if (unstated !== null) return { reading, intents: [unstated] }
    const intents = intentsOf(readings)
    const doubtful = intents.some(({ name }) => writing.has(name)) ? null : doubtfulWrite(question)
    if (doubtful !== null) return { reading, intents: [doubtful] }
    const stated = intents.every(({ name }) => besidePositions.has(name)) ? statedPosition(question) : null
    const others = stated === null ? intents : intents.filter(({ name }) => name !== "outside")
    return { reading, intents: stated === null ? others : [stated, ...others] }
  }
  const elsewhere = requestedElsewhere(question)
    ? intentsOf(readings).filter(({ name }) => writing.has(name))
    : []
  const beside = questionBeside(question)
  if (beside === null) return { reading, intents: [requested, ...elsewhere] }
  // "Add ETH to my watchlist. What is its funding?"
  const before = [...request.brief.earlier, { question, answer: "" }]
  const asides = readingsFor({ ...request.brief, question: beside, earlier: before })
  const others = intentsOf(asides).filter(({ name }) => name !== "outside")
  return { reading: asides[asides.length - 1] ?? reading, intents: [requested, ...elsewhere, ...others] }
}

const instrumentIn = ({ arguments: args }: { readonly arguments: Planned["arguments"] | null }): unknown =>
  args?.["coin"] ?? args?.["symbol"]

/** Returns the findings without those about the instruments of the other parts of the answer. */
const findingsOf = (found: Findings, own: Reading, parts: ReadonlyArray<{ readonly reading: Reading }>): Findings => {
  const tickers = ({ coins, stocks }: Reading): ReadonlyArray<unknown> => [
    ...coins,
    ...stocks.map(({ symbol }) => symbol)
  ]
  const others = parts.flatMap(({ reading }) => tickers(reading)).filter((one) => !tickers(own).includes(one))
  return new Findings(found.all.filter((finding) => !others.includes(instrumentIn(finding))))
}

/** The earlier list from which a question names an instrument by its place. */
interface Listing {
  readonly intent: Intent
  readonly reading: Reading
}

const listingOf = ({ brief }: ModelRequest): Listing | null => {
  const readings = readingsFor(brief)
  for (let n = readings.length - 1; n > 0; n--) {
    const earlier = readings.slice(0, n)
    const reading = earlier.pop()
    if (reading === undefined) return null
    const intent = intentsOf([...earlier, reading]).find(({ lists }) => lists !== undefined)
    if (intent !== undefined) return { intent, reading }
  }
  return null
}

/** Returns the understood question, in which the instrument of an earlier list is that at the named place. */
const resolved = (request: ModelRequest, found: Findings): ReturnType<typeof understood> & {
  readonly listing: ReadonlyArray<Planned>
} => {
  const { intents, reading } = understood(request)
  const isNameless = reading.coins.length + reading.stocks.length + reading.strange.length === 0
  // "And its funding?" after a list is about the first instrument of the list.
  const isOfFirst = isNameless && reading.lines.length > 1 &&
    intents.some((intent) =>
      intent === cause || intent.plan(reading, found).some((call) => holdsUnnamed(call.arguments))
    )
  const list = reading.listed !== null || isOfFirst ? listingOf(request) : null
  const coin = list?.intent.lists?.(list.reading, found)[reading.listed ?? 0]
  if (list === null) return { intents, reading, listing: [] }
  const listing = list.intent.plan(list.reading, found)
  if (coin === undefined) {
    const isPending = listing.some((call) => !answered(found, call))
    return { intents: isPending ? [] : intents, reading, listing }
  }
  const own = intents.includes(list.intent) || intents.every(({ name }) => name === "outside") ? [trend] : intents
  return { intents: own, reading: { ...reading, coins: [coin], stocks: [], named: true }, listing }
}

export const nextStep = (request: ModelRequest): Step => {
  const results = resultsOf(request.turns)
  const found = new Findings([...factsOf(request), ...results])
  const { intents: whole, listing, reading: settled } = resolved(request, found)
  const isAboutNone = settled.coins.length + settled.stocks.length + settled.strange.length === 0
  const usual = isAboutNone ? whole.find((intent) => intent.usual !== undefined)?.usual ?? [] : []
  const reading = usual.length === 0 ? settled : { ...settled, coins: usual }
  const isPlain = whole.every(({ name }) => !/^(?:requested|unstated|statedPosition|accepted)/.test(name))
  const own = isPlain ? partsOf(reading) : []
  const parts = own.length > 0 || !isPlain ? own : partsOfEach(reading, whole)
  const intents = parts.length > 0 ? [...new Set(parts.map(({ intent }) => intent))] : whole
  const { lang } = request.brief
  const desk: Desk = { lang, format: formatOf(lang), say: (said, values) => fill(lang, said, values) }
  // If the only instrument is unknown, the analyst calls no tools: the figures of another instrument would mislead.
  const isUnknown = reading.strange.length > 0 && reading.coins.length === 0 &&
    !intents.some(({ name }) => ofNoMarket.has(name))
  const asked = parts.length > 0 ? parts : intents.map((intent) => ({ intent, reading }))
  const plans = asked.map((part) => ({
    ...part,
    calls: isUnknown ? [] : part.intent.plan(part.reading, findingsOf(found, part.reading, asked))
  }))
  const able = plans.filter(({ calls }) => !isUnknown && !calls.some((call) => holdsUnnamed(call.arguments)))
  const planned = [...listing, ...able.flatMap(({ calls }) => calls)]
  const guarded = withoutPartialWrites(request.brief.question, planned, desk)
  const wanted = guarded.calls
  const open = wanted.filter((call, i) =>
    !answered(found, call) &&
    wanted.findIndex((other) => JSON.stringify(other) === JSON.stringify(call)) === i
  )
  const given = new Set(request.tools.map(({ name }) => name))
  const calls = open.filter(({ name }) => given.has(name)).slice(0, Math.max(0, mostCalls - results.length))
  if (calls.length > 0 && request.step <= mostSteps) return { _tag: "Ask", calls }
  const needed = able.flatMap(({ intent: { needs = [] } }) => needs.filter((name) => !given.has(name)))
  const withheld = [...new Set([...open.flatMap(({ name }) => given.has(name) ? [] : [name]), ...needed])]
  return {
    _tag: "Write",
    text: compose({
      desk,
      reading,
      found,
      sections: isUnknown
        ? []
        : [
          ...guarded.sections,
          ...able.map(({ intent, reading }) => intent.write(reading, findingsOf(found, reading, asked), desk)),
          // The answer to a stated position already says that nothing was recorded.
          ...(intents.some(({ name }) => name === "statedPosition") ? [] : saysProposed(lang, found))
        ],
      ignored: unreadWords(reading, intents),
      isGuess: intents.every((intent) => !intent.asked(reading)),
      withheld,
      usual,
      isUnnamed: !isUnknown && able.length < plans.length
    })
  }
}
