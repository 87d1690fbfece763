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
/** The maximum share of the context that earlier messages may use. */
const historyShare = 0.5

/** The services and settings that all runs of this engine share. */
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
  /** Fibres that close ended generations. They outlive the run of their answer. */
  readonly closings: FiberSet.FiberSet
  readonly stopLimit: Effect.Effect<void>
}

/** Returns the output that an earlier runner of the generation has shown. */
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

/** Returns the tools that a generation offers to its model. */
const toolsFor = (engine: Engine, { brief }: Generation) => (allowed: ReadonlySet<string>, proposes: boolean) => {
  const visible = visibleTo(engine.catalogue(), brief.principal.scopes)
  const writing = visible.filter(({ scope }) => scope === "write:personal")
  const offered = callsOf(visible.filter((tool) => !writing.includes(tool) || allowed.has(tool.name)))
  const calls = proposes && writing.length > 0 ? [...offered, proposingCall(callsOf(writing))] : offered
  return calls satisfies ReadonlyArray<CatalogueCall>
}

/** Checks periodically, and at each halt, whether the generation is still held. Returns once it is not. */
const lost = (
  { generations, timing }: Engine,
  pen: Pen,
  { epoch, id }: Generation,
  halted: Effect.Effect<void>
): Effect.Effect<void> => {
  const isHeld = Effect.gen(function*() {
    if (yield* pen.renew) return true
    // A generation that this run has just ended itself is not lost.
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

/** Renews the reservation periodically. If it expires anyway, the answer is not charged. */
const paying = ({ ledger, timing }: Engine, { reservation }: Generation) =>
  Effect.ignore(ledger.renew(reservation, timing.reservationMs)).pipe(
    Effect.andThen(Effect.sleep(timing.payEveryMs)),
    Effect.forever
  )

/** Loads the inputs of a run from the store. Waits for memory if they have large images. */
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

/** The state at the end of a run, for the steps after it. */
interface Answered {
  readonly state: RunState
  readonly setup: Setup
  readonly material: Material
}

/** Runs the answer while the generation is held. Runs `ended` directly after the end is stored. */
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
      // Drops the images, because their memory is released at the end of the run.
      ended: (state) => ended({ state, setup, material: { ...material, images: new Map() } })
    }, begun)
  })
  return yield* Effect.raceFirst(
    Effect.scoped(run),
    Effect.andThen(lost(engine, pen, generation, halted), Effect.fail(new FenceLost()))
  )
})

/** Requests suggestions if the answer finished, and closes the log in any case. */
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
  // If this fails, the sweep closes the generation.
}, (ending) => Effect.ignore(ending))

/** The number of takeovers after which a generation counts as the cause of its runners' deaths. */
const mostTakeovers = 5

/**
 * Returns how long a generation has already run, in ms. The store knows only the last absence of a runner, so earlier
 * absences count as run time. The result is at most `runMs`, which leaves time for a last step. A generation with
 * `mostTakeovers` takeovers loses this protection.
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
  // Time without a runner does not count as time of the answer.
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

/** Returns the personal scopes of the named tools that the generation may use. */
const scopesUsed = (
  toolbox: Toolbox["Service"],
  { brief }: Generation,
  names: ReadonlyArray<string>
): ReadonlyArray<PersonalScope> =>
  personalScopesOf(toolbox, names).filter((scope) => brief.principal.scopes.includes(scope))

/**
 * Checks the actor again, and adds the scope to the conversation, before a tool reads or changes records of the
 * account.
 */
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
 * Adds the scopes of given facts and of a resumed answer's calls to the conversation. This is needed if a process of an
 * earlier version began the answer or made the calls.
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

/** Runs generations, in the calling fibre. */
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
    // Waits for the suggestions of finished answers. The write of an end can still be in progress after its limit.
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
      // Derived on first use, because it takes time and the start of a process need not wait for it.
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
