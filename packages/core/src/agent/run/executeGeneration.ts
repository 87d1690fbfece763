import { Cause, Clock, Effect, Fiber, FiberSet, Layer, type Scope } from "effect"
import type { KeyStore } from "../../engine/access/KeyStore.ts"
import { ToolCaller } from "../../engine/call/ToolCaller.ts"
import { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import {
  callableEntries,
  type CallableEntry,
  filterCatalogue,
  makeParameterCatalogue
} from "../../engine/tool/catalogue.ts"
import { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import type { PersonalScope } from "../conversation.ts"
import { ConversationStore } from "../ConversationStore.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import { GenerationLog } from "../GenerationLog.ts"
import { type ExecutionResult, GenerationExecutor } from "../GenerationRunner.ts"
import { GenerationStore } from "../GenerationStore.ts"
import { LanguageModel } from "../LanguageModel.ts"
import { AnswerBounds } from "../machine/bounds.ts"
import { foldEvents, type ShownOutput } from "../machine/shownOutput.ts"
import type { RunState, Setup } from "../machine/state.ts"
import { decodeSteps, type FinishedStep } from "../machine/steps.ts"
import { restoreRun, transition } from "../machine/transition.ts"
import { ProposalStore } from "../ProposalStore.ts"
import { listPersonalScopes } from "../service/conversationScopes.ts"
import { acceptByConfirmation } from "./acceptByConfirmation.ts"
import { AgentTiming, StopLimit } from "./AgentTiming.ts"
import { endAfterDefect } from "./endAfterDefect.ts"
import { type FencedWriter, FenceLost, makeFencedWriter, retryWhileUnavailable } from "./FencedWriter.ts"
import { ImageMemory, makeImageMemory } from "./imageMemory.ts"
import { type LoadedInputs, loadImages, loadInputs } from "./loadInputs.ts"
import { initialiseAgentCounters, makeCountRunning } from "./metrics.ts"
import { makeContextBudget } from "./requestStep.ts"
import { runAnswer } from "./runAnswer.ts"
import type { RunContext } from "./RunContext.ts"
import { makeScopeCheck } from "./scopeCheck.ts"
import { suggestQuestions } from "./suggestQuestions.ts"
import { summariseHistory } from "./summariseHistory.ts"

const logPageSize = 256
const maxHistoryShare = 0.5

interface RunServices {
  readonly bounds: (typeof AnswerBounds)["Service"]
  readonly timing: (typeof AgentTiming)["Service"]
  readonly model: LanguageModel["Service"]
  readonly caller: ToolCaller["Service"]
  readonly useScope: RunContext["useScope"]
  readonly ledger: Ledger["Service"]
  readonly generations: GenerationStore["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly proposals: ProposalStore["Service"]
  readonly isScopeHeld: Effect.Success<typeof makeScopeCheck>
  readonly log: GenerationLog["Service"]
  readonly toolbox: Toolbox["Service"]
  readonly catalogue: () => ReturnType<typeof makeParameterCatalogue>
  readonly calibration: { value: number }
  readonly imageMemory: ReturnType<typeof makeImageMemory>
  /** Fibres that close ended generations. The fibres continue after the runs of the answers have ended. */
  readonly closingFibers: FiberSet.FiberSet
  readonly stopLimit: Effect.Effect<void>
}

/** Returns the output that a generation has already shown, from the events in its log. */
const readShownOutput = Effect.fnUntraced(function*(
  { log }: RunServices,
  { id }: Generation
): Effect.fn.Return<ShownOutput, StoreUnavailable> {
  const events: Array<GenerationEvent> = []
  for (let after = 0;;) {
    const page = yield* log.read(id, after, logPageSize)
    for (const { data, kind } of page.events) events.push({ kind, data: JSON.parse(data) })
    const last = page.events.at(-1)
    if (last === undefined) return foldEvents(events)
    after = last.n
  }
})

const makeSetup = (
  { bounds, toolbox }: RunServices,
  { brief, id }: Generation,
  inputs: AnswerInputs,
  { maxDirectWrites, mayPropose }: Pick<LoadedInputs, "maxDirectWrites" | "mayPropose">
): Setup => ({
  lang: brief.lang,
  bounds,
  facts: brief.facts,
  generation: id,
  mayPropose,
  maxDirectWrites,
  replacedWrites: inputs.replacedWrites,
  tools: new Map(
    toolbox.tools.map(({ specification: { credits, name, scope } }) => [
      name,
      { credits, writes: scope === "write:personal" }
    ])
  )
})

/** Returns a function that lists the tools that a generation offers to its model. */
const makeToolSelector =
  (services: RunServices, { brief }: Generation) => (offersWrites: boolean): ReadonlyArray<CallableEntry> => {
    const visible = filterCatalogue(services.catalogue(), brief.principal.scopes)
    return callableEntries(visible.filter(({ scope }) => offersWrites || scope !== "write:personal"))
  }

/**
 * Waits until the runner has lost the generation. Checks periodically, and each time `halted` completes, whether the
 * runner still holds the generation.
 */
const awaitFenceLost = (
  { generations, timing }: RunServices,
  writer: FencedWriter,
  { epoch, id }: Generation,
  halted: Effect.Effect<void>
): Effect.Effect<void> => {
  const isHeld = Effect.gen(function*() {
    if (yield* writer.renew) return true
    // If the run has just ended the generation itself, the generation is not lost.
    const row = yield* generations.find(id)
    return row !== null && row.epoch === epoch
  })
  const checkPeriodically: Effect.Effect<void> = Effect.flatMap(
    Effect.andThen(
      Effect.raceFirst(halted, Effect.sleep(timing.renewIntervalMs)),
      Effect.catch(isHeld, () => Effect.succeed(true))
    ),
    (isStillHeld) => isStillHeld ? checkPeriodically : Effect.void
  )
  return checkPeriodically
}

/** Renews the reservation periodically; if the reservation expires anyway, the answer is not charged. */
const renewReservation = ({ ledger, timing }: RunServices, { reservation }: Generation) =>
  Effect.ignore(ledger.renew(reservation, timing.answerLeaseMs)).pipe(
    Effect.andThen(Effect.sleep(timing.leaseRenewalIntervalMs)),
    Effect.forever
  )

/** Loads the inputs of a run from the store, after waiting for enough image memory. */
const prepareRun = Effect.fnUntraced(function*(
  services: RunServices,
  generation: Generation,
  writer: FencedWriter
): Effect.fn.Return<
  { readonly setup: Setup; readonly inputs: AnswerInputs; readonly initialState: RunState },
  FenceLost | StoreUnavailable,
  Scope.Scope
> {
  const { conversations, generations, model, calibration, imageMemory } = services
  const { account, conversation, epoch, id } = generation
  const { inputs: loadedInputs, messagesWithImages, ...permissions } = yield* retryWhileUnavailable(
    loadInputs(services, generation, makeToolSelector(services, generation), model.readsImages)
  )
  const budget = makeContextBudget(model, services.bounds, calibration.value)
  yield* writer.confirm
  const { inputs: summarisedInputs, silentMs } = yield* summariseHistory(
    model,
    conversations,
    account,
    conversation,
    loadedInputs,
    {
      silenceMs: services.bounds.silenceMs,
      tokens: Math.floor(budget.tokens * maxHistoryShare)
    }
  )
  yield* imageMemory(messagesWithImages.flatMap(({ images }) => images))
  const inputs = {
    ...summarisedInputs,
    accepted: yield* acceptByConfirmation(services, generation, loadedInputs),
    images: yield* retryWhileUnavailable(loadImages(conversations, generation, messagesWithImages))
  }
  const finishedSteps = decodeSteps(yield* retryWhileUnavailable(generations.listSteps(id)))
  yield* addUsedScopes(services, generation, finishedSteps)
  const shownOutput = epoch > 1 ? yield* retryWhileUnavailable(readShownOutput(services, generation)) : undefined
  return {
    setup: makeSetup(services, generation, inputs, permissions),
    inputs,
    initialState: restoreRun(finishedSteps, shownOutput, silentMs)
  }
})

interface AnsweredRun {
  readonly state: RunState
  readonly setup: Setup
  readonly inputs: AnswerInputs
}

/**
 * Runs the answer until it ends or another runner takes the generation. Calls `onEnded` after the end of the generation
 * is stored.
 */
const runWhileHeld = Effect.fnUntraced(function*(
  services: RunServices,
  generation: Generation,
  writer: FencedWriter,
  ranMs: number,
  halted: Effect.Effect<void>,
  onEnded: (answered: AnsweredRun) => Effect.Effect<void>
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  const { renewedAt, startedAt } = generation
  const runAnswerScoped = Effect.gen(function*() {
    yield* Effect.forkScoped(renewReservation(services, generation))
    const { initialState, inputs, setup } = yield* prepareRun(services, generation, writer)
    const ageMs = Math.max(0, renewedAt - startedAt)
    yield* runAnswer({
      ...services,
      writer,
      generation,
      setup,
      inputs,
      ranMs,
      ageMs,
      // `onEnded` gets no images, because the memory of images is released when the run ends.
      onEnded: (state) => onEnded({ state, setup, inputs: { ...inputs, images: new Map() } })
    }, initialState)
  })
  return yield* Effect.raceFirst(
    Effect.scoped(runAnswerScoped),
    Effect.andThen(awaitFenceLost(services, writer, generation, halted), Effect.fail(new FenceLost()))
  )
})

/** Requests suggestions for a finished answer and closes the log, unless the generation is already closed. */
const closeGeneration = Effect.fnUntraced(function*(
  { generations, model }: RunServices,
  { id }: Generation,
  writer: FencedWriter,
  { inputs, setup, state }: AnsweredRun
) {
  if (state.phase === "Closed") return
  yield* writer.confirm
  const questions = yield* suggestQuestions(model, inputs, state.shownOutput.text)
  for (const command of transition(setup, state, { _tag: "Suggestions", questions }).commands) {
    if (command._tag === "Close") yield* retryWhileUnavailable(generations.close(id, command.questions))
  }
  // If closing fails in spite of retries, or the store was unavailable for long, the sweep closes the generation.
}, (ending) => Effect.ignore(ending))

/** A generation with more takeovers probably crashes its runners. */
const maxTakeovers = 5

/**
 * Returns the time from a generation's start to its last renewal, in ms. Returns 0 if no runner has taken the
 * generation. While the epoch is below `maxTakeovers`, the result is at most `runMs`, which leaves a new runner time
 * for a last step.
 */
const previousRunMs = ({ epoch, renewedAt, startedAt }: Generation, { runMs }: RunServices["bounds"]): number => {
  const ranMs = epoch === 0 ? 0 : Math.max(0, renewedAt - startedAt)
  return epoch < maxTakeovers ? Math.min(ranMs, runMs) : ranMs
}

const executeGeneration = Effect.fnUntraced(function*(
  services: RunServices,
  id: number,
  { epochs, halted, staleMs }: {
    readonly halted: Effect.Effect<void>
    readonly staleMs: number
    readonly epochs: number
  }
): Effect.fn.Return<ExecutionResult, StoreUnavailable> {
  const generationBefore = yield* retryWhileUnavailable(services.generations.find(id))
  const takenAt = yield* Clock.currentTimeMillis
  const generation = yield* services.generations.take(id, staleMs, epochs)
  if (generationBefore === null || generation === null) return "Elsewhere"
  // Time without a runner does not count as time of the answer.
  const ranMs = previousRunMs(generationBefore, services.bounds)
  const writer = makeFencedWriter(services.generations, generation, takenAt, services.stopLimit)
  let closeFinished: Effect.Effect<unknown> = Effect.void
  const onEnded = (answered: AnsweredRun) =>
    Effect.map(
      FiberSet.run(services.closingFibers, closeGeneration(services, generation, writer, answered)),
      (fiber) => {
        closeFinished = Fiber.await(fiber)
      }
    )
  return yield* runWhileHeld(services, generation, writer, ranMs, halted, onEnded).pipe(
    Effect.flatMap(() => Effect.as(closeFinished, "Ended" as const)),
    Effect.catchTag("FenceLost", () => Effect.succeed("Lost" as const)),
    Effect.catchCauseIf(
      (cause) => Cause.hasDies(cause),
      (cause) => Effect.as(endAfterDefect(services.generations, generation, cause), "Ended" as const)
    ),
    Effect.withSpan("agent.advance", { attributes: { generation: id, epoch: generation.epoch } })
  )
})

/** Returns the personal scopes that the named tools need and that the generation's principal has. */
const listUsedScopes = (
  toolbox: Toolbox["Service"],
  { brief }: Generation,
  names: ReadonlyArray<string>
): ReadonlyArray<PersonalScope> =>
  listPersonalScopes(toolbox, names).filter((scope) => brief.principal.scopes.includes(scope))

/**
 * Returns a function that checks that the actor still has the scope of a tool, and adds the scope to the conversation.
 * The function runs before a tool accesses the account's records.
 */
const makeUseScope = (
  toolbox: Toolbox["Service"],
  conversations: ConversationStore["Service"],
  isScopeHeld: RunServices["isScopeHeld"]
): RunContext["useScope"] =>
  Effect.fnUntraced(function*(generation, tool) {
    const [scope] = listUsedScopes(toolbox, generation, [tool])
    if (scope === undefined) return null
    if (!(yield* isScopeHeld(generation.brief.principal, scope))) return scope
    yield* conversations.addScope(generation.account, generation.conversation, scope)
    return null
  })

/**
 * Adds the scopes that an answer used to the conversation, in case a process of an earlier version did not add them.
 * Scopes of failed calls are not added, because the key may have lost the scope before the call.
 */
const addUsedScopes = (
  { conversations, toolbox }: RunServices,
  generation: Generation,
  finishedSteps: ReadonlyArray<FinishedStep>
): Effect.Effect<void, StoreUnavailable> => {
  const calledTools = finishedSteps.flatMap(({ calls, results }) =>
    calls.filter(({ callId }) => results.get(callId)?.ok !== false).map(({ name }) => name)
  )
  return Effect.forEach(
    listUsedScopes(toolbox, generation, [...calledTools, ...Object.keys(generation.brief.facts)]),
    (scope) => retryWhileUnavailable(conversations.addScope(generation.account, generation.conversation, scope)),
    { discard: true }
  )
}

/** Provides `GenerationExecutor`, which runs generations in the calling fibre. */
export const layerGenerationExecutor: Layer.Layer<
  GenerationExecutor,
  never,
  | ConversationStore
  | GenerationLog
  | GenerationStore
  | KeyStore
  | LanguageModel
  | Ledger
  | ProposalStore
  | ToolCaller
  | Toolbox
> = Layer.effect(
  GenerationExecutor,
  Effect.gen(function*() {
    const [conversations, toolbox, isScopeHeld] = yield* Effect.all([ConversationStore, Toolbox, makeScopeCheck])
    let catalogue: ReturnType<typeof makeParameterCatalogue> | undefined
    const closingFibers = yield* FiberSet.make()
    const stopLimit = yield* StopLimit
    // A stopping process waits for the suggestions of finished answers.
    yield* Effect.addFinalizer(() => Effect.raceFirst(FiberSet.awaitEmpty(closingFibers), stopLimit))
    const services: RunServices = {
      bounds: yield* AnswerBounds,
      timing: yield* AgentTiming,
      model: yield* LanguageModel,
      caller: yield* ToolCaller,
      useScope: makeUseScope(toolbox, conversations, isScopeHeld),
      isScopeHeld,
      proposals: yield* ProposalStore,
      ledger: yield* Ledger,
      generations: yield* GenerationStore,
      conversations,
      log: yield* GenerationLog,
      toolbox,
      // The catalogue is computed on first use, because the computation would delay the start of the process.
      catalogue: () => catalogue ??= makeParameterCatalogue(toolbox.tools.map(({ specification }) => specification)),
      calibration: { value: 1 },
      imageMemory: makeImageMemory(yield* ImageMemory),
      closingFibers,
      stopLimit
    }
    yield* initialiseAgentCounters(services.model.name)
    const countRunning = makeCountRunning()
    return GenerationExecutor.of({
      execute: (generation, halted, staleMs = services.timing.staleMs, epochs = 1) =>
        countRunning(executeGeneration(services, generation, { halted, staleMs, epochs }))
    })
  })
)
