import { Cause, Clock, Effect, Fiber, FiberSet, Layer, type Scope } from "effect"
import type { KeyStore } from "../../engine/access/KeyStore.ts"
import { faultsIn } from "../../engine/call/callable.ts"
import { ToolCaller } from "../../engine/call/ToolCaller.ts"
import { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { callsOf, type CatalogueCall, catalogueOf, visibleTo } from "../../engine/tool/catalogue.ts"
import { Toolbox } from "../../engine/tool/Toolbox.ts"
import { Advance, type Advanced } from "../Advance.ts"
import type { Material } from "../context/material.ts"
import type { PersonalScope } from "../conversation.ts"
import { ConversationStore } from "../ConversationStore.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import { GenerationLog } from "../GenerationLog.ts"
import { GenerationStore } from "../GenerationStore.ts"
import { LanguageModel } from "../LanguageModel.ts"
import { AnswerBounds } from "../machine/bounds.ts"
import { type Shown, shownOf } from "../machine/shown.ts"
import type { RunState, Setup } from "../machine/state.ts"
import { type DoneStep, doneSteps } from "../machine/steps.ts"
import { restore, transition } from "../machine/transition.ts"
import { proposingCall } from "../prompts/proposingCall.ts"
import { personalScopesOf } from "../service/conversationScopes.ts"
import { WritePolicy } from "../WritePolicy.ts"
import { AgentTiming, StopLimit } from "./AgentTiming.ts"
import { answering } from "./answering.ts"
import { contextBudget } from "./askModel.ts"
import { endAsBroken } from "./endAsBroken.ts"
import { gather, type Gathered, gatherImages } from "./gather.ts"
import { ImageRoom, makeImageRoom } from "./imageRoom.ts"
import { makeMayStill } from "./mayStill.ts"
import { showAgentCounters } from "./measures.ts"
import { FenceLost, makePen, patiently, type Pen } from "./Pen.ts"
import { suggest } from "./suggest.ts"
import { summarise } from "./summarise.ts"
import type { Workplace } from "./Workplace.ts"

const logPage = 256
/** Of the context, what may be taken by what was said before. */
const historyShare = 0.5

/** What every run of this engine works with. */
interface Engine {
  readonly bounds: (typeof AnswerBounds)["Service"]
  readonly timing: (typeof AgentTiming)["Service"]
  readonly policy: (typeof WritePolicy)["Service"]
  readonly model: LanguageModel["Service"]
  readonly caller: ToolCaller["Service"]
  readonly useScope: Workplace["useScope"]
  readonly ledger: Ledger["Service"]
  readonly generations: GenerationStore["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly log: GenerationLog["Service"]
  readonly toolbox: Toolbox["Service"]
  readonly catalogue: () => ReturnType<typeof catalogueOf>
  readonly ratio: { value: number }
  readonly room: ReturnType<typeof makeImageRoom>
  /** Closings that run. They do not end with the run of their answer. */
  readonly closings: FiberSet.FiberSet
  readonly stopLimit: Effect.Effect<void>
}

/** What readers have before them of a generation that somebody else began to run. */
const shownBefore = Effect.fnUntraced(function*(
  { log }: Engine,
  { id }: Generation
): Effect.fn.Return<Shown, StoreUnavailable> {
  const events: Array<GenerationEvent> = []
  for (let after = 0;;) {
    const page = yield* log.read(id, after, logPage)
    for (const { data, kind } of page.events) events.push({ kind, data: JSON.parse(data) })
    const last = page.events.at(-1)
    if (last === undefined) return shownOf(events)
    after = last.n
  }
})

const setupOf = (
  { bounds, toolbox }: Engine,
  { brief }: Generation,
  material: Material,
  { proposes, writes }: Pick<Gathered, "proposes" | "writes">
): Setup => ({
  lang: brief.lang,
  bounds,
  facts: brief.facts,
  writes,
  faultsOf: proposes
    ? (name, args) => [toolbox.find(name)].flatMap((tool) => tool === undefined ? [] : faultsIn(tool, args, brief.lang))
    : null,
  carried: material.carried,
  tools: new Map(
    toolbox.tools.map(({ specification: { credits, name, scope } }) => [
      name,
      { credits, writes: scope === "write:personal" }
    ])
  )
})

/** The tools that a generation may call, as its model is shown them. */
const toolsFor = (engine: Engine, { brief }: Generation) => (allowed: ReadonlySet<string>, proposes: boolean) => {
  const visible = visibleTo(engine.catalogue(), brief.principal.scopes)
  const writing = visible.filter(({ scope }) => scope === "write:personal")
  const offered = callsOf(visible.filter((tool) => !writing.includes(tool) || allowed.has(tool.name)))
  const calls = proposes && writing.length > 0 ? [...offered, proposingCall(callsOf(writing))] : offered
  return calls satisfies ReadonlyArray<CatalogueCall>
}

/** Looks again and again, and at each halt, whether the generation is still held; returns once it is not. */
const lost = (
  { generations, timing }: Engine,
  pen: Pen,
  { epoch, id }: Generation,
  halted: Effect.Effect<void>
): Effect.Effect<void> => {
  const isHeld = Effect.gen(function*() {
    if (yield* pen.renew) return true
    // What this run has ended itself, a moment ago, is not lost.
    const row = yield* generations.find(id)
    return row !== null && row.epoch === epoch
  })
  const turn: Effect.Effect<void> = Effect.flatMap(
    Effect.andThen(
      Effect.raceFirst(halted, Effect.sleep(timing.renewEveryMs)),
      Effect.catch(isHeld, () => Effect.succeed(true))
    ),
    (held) => held ? turn : Effect.void
  )
  return turn
}

/** Keeps the reservation alive. One that lapsed all the same leaves the answer uncharged. */
const paying = ({ ledger, timing }: Engine, { reservation }: Generation) =>
  Effect.ignore(ledger.renew(reservation, timing.reservationMs)).pipe(
    Effect.andThen(Effect.sleep(timing.payEveryMs)),
    Effect.forever
  )

/** What a run works with, as far as it stands in the store; waits for room where that is much. */
const prepared = Effect.fnUntraced(function*(
  engine: Engine,
  generation: Generation,
  pen: Pen
): Effect.fn.Return<
  { readonly setup: Setup; readonly material: Material; readonly begun: RunState },
  FenceLost | StoreUnavailable,
  Scope.Scope
> {
  const { conversations, generations, model, policy, ratio, room } = engine
  const { account, conversation, epoch, id } = generation
  const { material: whole, seen, ...may } = yield* patiently(
    gather(conversations, generation, policy, toolsFor(engine, generation), model.readsImages)
  )
  const budget = contextBudget(model, engine.bounds, ratio.value)
  yield* pen.confirm
  const { material: told, silentMs } = yield* summarise(model, conversations, account, conversation, whole, {
    silenceMs: engine.bounds.silenceMs,
    tokens: Math.floor(budget.tokens * historyShare)
  })
  yield* room(seen.flatMap(({ images }) => images))
  const material = { ...told, images: yield* patiently(gatherImages(conversations, generation, seen)) }
  const done = doneSteps(yield* patiently(generations.steps(id)))
  yield* markUsed(engine, generation, done)
  const shown = epoch > 1 ? yield* patiently(shownBefore(engine, generation)) : undefined
  return { setup: setupOf(engine, generation, material, may), material, begun: restore(done, shown, silentMs) }
})

/** What came of a run, for what follows it. */
interface Answered {
  readonly state: RunState
  readonly setup: Setup
  readonly material: Material
}

/** Answers, as long as the generation is held. Runs `ended` right after the end is stored. */
const held = Effect.fnUntraced(function*(
  engine: Engine,
  generation: Generation,
  pen: Pen,
  ranMs: number,
  halted: Effect.Effect<void>,
  ended: (answered: Answered) => Effect.Effect<void>
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  const { renewedAt, startedAt } = generation
  const run = Effect.gen(function*() {
    yield* Effect.forkScoped(paying(engine, generation))
    const { begun, material, setup } = yield* prepared(engine, generation, pen)
    const agedMs = Math.max(0, renewedAt - startedAt)
    yield* answering({
      ...engine,
      pen,
      generation,
      setup,
      material,
      ranMs,
      agedMs,
      // The room that its images had is given back.
      ended: (state) => ended({ state, setup, material: { ...material, images: new Map() } })
    }, begun)
  })
  return yield* Effect.raceFirst(
    Effect.scoped(run),
    Effect.andThen(lost(engine, pen, generation, halted), Effect.fail(new FenceLost()))
  )
})

/** What follows an answer: questions, if it finished, and in any case the end of its log. */
const closing = Effect.fnUntraced(function*(
  { generations, model }: Engine,
  { id }: Generation,
  pen: Pen,
  { material, setup, state }: Answered
) {
  if (state.phase === "Closed") return
  yield* pen.confirm
  const questions = yield* suggest(model, material, state.shown.text)
  for (const command of transition(setup, state, { _tag: "Suggestions", questions }).commands) {
    if (command._tag === "Close") yield* generations.close(id, command.questions)
  }
  // One that stays open is closed by the sweep.
}, (ending) => Effect.ignore(ending))

/** What has been taken so often has killed its runners, one after the other. */
const mostTakeovers = 5

/**
 * How long a generation has run by now. Only the last absence of a runner is known, and those before it count as time
 * of the answer: so there is always a last step's time left, unless it was taken over too often.
 */
const ranBefore = ({ epoch, renewedAt, startedAt }: Generation, { runMs }: Engine["bounds"]): number => {
  const ranMs = epoch === 0 ? 0 : Math.max(0, renewedAt - startedAt)
  return epoch < mostTakeovers ? Math.min(ranMs, runMs) : ranMs
}

const advance = Effect.fnUntraced(function*(
  engine: Engine,
  id: number,
  { epochs, halted, staleMs }: {
    readonly halted: Effect.Effect<void>
    readonly staleMs: number
    readonly epochs: number
  }
): Effect.fn.Return<Advanced, StoreUnavailable> {
  const before = yield* patiently(engine.generations.find(id))
  const takenAt = yield* Clock.currentTimeMillis
  const generation = yield* engine.generations.take(id, staleMs, epochs)
  if (before === null || generation === null) return "Elsewhere"
  // Time during which nobody ran it is no time of the answer.
  const ranMs = ranBefore(before, engine.bounds)
  const pen = makePen(engine.generations, generation, takenAt, engine.stopLimit)
  let closed: Effect.Effect<unknown> = Effect.void
  const ended = (answered: Answered) =>
    Effect.map(FiberSet.run(engine.closings, closing(engine, generation, pen, answered)), (fiber) => {
      closed = Fiber.await(fiber)
    })
  return yield* held(engine, generation, pen, ranMs, halted, ended).pipe(
    Effect.flatMap(() => Effect.as(closed, "Ended" as const)),
    Effect.catchTag("FenceLost", () => Effect.succeed("Lost" as const)),
    Effect.catchCauseIf(
      (cause) => Cause.hasDies(cause),
      (cause) => Effect.as(endAsBroken(engine.generations, generation, cause), "Ended" as const)
    ),
    Effect.withSpan("agent.advance", { attributes: { generation: id, epoch: generation.epoch } })
  )
})

/** The personal scopes of tools that the generation may call. */
const scopesUsed = (
  toolbox: Toolbox["Service"],
  { brief }: Generation,
  names: ReadonlyArray<string>
): ReadonlyArray<PersonalScope> =>
  personalScopesOf(toolbox, names).filter((scope) => brief.principal.scopes.includes(scope))

/** Checks the actor again, and marks the conversation, before a tool reads or changes records of the account. */
const makeUseScope = (
  toolbox: Toolbox["Service"],
  conversations: ConversationStore["Service"]
): Effect.Effect<Workplace["useScope"], never, KeyStore> =>
  Effect.map(makeMayStill, (mayStill) =>
    Effect.fnUntraced(function*(generation, tool) {
      const [scope] = scopesUsed(toolbox, generation, [tool])
      if (scope === undefined) return null
      if (!(yield* mayStill(generation.brief.principal, scope))) return scope
      yield* conversations.addScope(generation.account, generation.conversation, scope)
      return null
    }))

/**
 * Adds the scopes of given facts and of a resumed answer's calls to the conversation: a process of an earlier version
 * may have begun the answer or made the calls.
 */
const markUsed = (
  { conversations, toolbox }: Engine,
  generation: Generation,
  done: ReadonlyArray<DoneStep>
): Effect.Effect<void, StoreUnavailable> => {
  const called = done.flatMap(({ calls }) => calls.map(({ name }) => name))
  return Effect.forEach(
    scopesUsed(toolbox, generation, [...called, ...Object.keys(generation.brief.facts)]),
    (scope) => patiently(conversations.addScope(generation.account, generation.conversation, scope)),
    { discard: true }
  )
}

/** Runs generations, in the fiber that asks for it. */
export const layerAdvance: Layer.Layer<
  Advance,
  never,
  ConversationStore | GenerationLog | GenerationStore | KeyStore | LanguageModel | Ledger | ToolCaller | Toolbox
> = Layer.effect(
  Advance,
  Effect.gen(function*() {
    const [conversations, toolbox] = yield* Effect.all([ConversationStore, Toolbox])
    let catalogue: ReturnType<typeof catalogueOf> | undefined
    const closings = yield* FiberSet.make()
    const stopLimit = yield* StopLimit
    // Waits for the suggestions of finished answers. The write of an end can still be under way after its limit.
    yield* Effect.addFinalizer(() => Effect.raceFirst(FiberSet.awaitEmpty(closings), stopLimit))
    const engine: Engine = {
      bounds: yield* AnswerBounds,
      timing: yield* AgentTiming,
      policy: yield* WritePolicy,
      model: yield* LanguageModel,
      caller: yield* ToolCaller,
      useScope: yield* makeUseScope(toolbox, conversations),
      ledger: yield* Ledger,
      generations: yield* GenerationStore,
      conversations,
      log: yield* GenerationLog,
      toolbox,
      // Deriving it takes a while, which no start of a process need wait for.
      catalogue: () => catalogue ??= catalogueOf(toolbox.tools.map(({ specification }) => specification)),
      ratio: { value: 1 },
      room: makeImageRoom(yield* ImageRoom),
      closings,
      stopLimit
    }
    yield* showAgentCounters(engine.model.name)
    return Advance.of({
      advance: (generation, halted, staleMs = engine.timing.staleMs, epochs = 1) =>
        advance(engine, generation, { halted, staleMs, epochs })
    })
  })
)
