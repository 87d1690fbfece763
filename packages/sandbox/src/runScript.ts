import { type HostError, SandboxUnavailable, type Script, ScriptError, type ScriptFault } from "@tapeline/core/analysis"
import { Cause, Clock, Deferred, Effect, Option, type Schema, Semaphore } from "effect"
import type { Reply, ThreadMessage } from "./protocol.ts"
import type { SandboxThread } from "./SandboxThread.ts"
import { toThreadFault } from "./scriptResult.ts"

/** A thread that has not begun its script after this time is ended. */
const startTimeout = "20 seconds"

/**
 * Maximum number of concurrent calls of one script. Further calls wait, so that calls of other scripts run in between.
 */
const maxConcurrentCalls = 2

/** Runs an effect with the machine's clock, whatever clock its caller has. */
export const withSystemClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

type MessageOf<Tag extends ThreadMessage["_tag"]> = Extract<ThreadMessage, { readonly _tag: Tag }>

/** The part of a failure that a script's function may see. */
const makeErrorReply = (id: number, { code, message }: HostError): Reply => ({
  error: { message, ...(code === undefined ? {} : { code }), id }
})

/** Returns the error of a failed call; undefined for a defect or an interruption. */
const findFailure = <E>(cause: Cause.Cause<E>): E | undefined =>
  Cause.hasDies(cause) || Cause.hasInterrupts(cause)
    ? undefined
    : Option.getOrUndefined(Cause.findErrorOption(cause))

/** Runs the calls of a script, and keeps the errors of failed calls, because the script may not catch them. */
const makeCallHandler = Effect.fnUntraced(function*<E extends HostError>(thread: SandboxThread, script: Script<E>) {
  const failures = new Map<number, E>()
  const callPermits = yield* Semaphore.make(maxConcurrentCalls)
  const defect = yield* Deferred.make<never>()

  const runCall = Effect.fnUntraced(function*({ args, id, name }: MessageOf<"Asked">) {
    // Calls of other scripts run first.
    yield* Effect.yieldNow
    // The thread has checked that the arguments are a list.
    const given = JSON.parse(args) as ReadonlyArray<unknown>
    const value = yield* Effect.suspend(() => script.functions[name]!.call(given))
    thread.reply({ id, text: JSON.stringify({ value: value ?? null }) })
  })
  const handleFailure = (id: number) => (cause: Cause.Cause<E>) => {
    const failure = findFailure(cause)
    // A defect. An interruption happens only when the script itself ends.
    if (failure === undefined) return Deferred.failCause(defect, Cause.die(Cause.squash(cause)))
    failures.set(id, failure)
    return Effect.sync(() => thread.reply({ id, text: JSON.stringify(makeErrorReply(id, failure)) }))
  }
  return {
    handleCall: (call: MessageOf<"Asked">) =>
      callPermits.withPermit(Effect.catchCause(runCall(call), handleFailure(call.id))),
    /** Fails with the defect of a call, if a call has one. */
    awaitDefect: Deferred.await(defect),
    findCallFailure: (callId: number | null): E | undefined => callId === null ? undefined : failures.get(callId)
  }
})

/** Parses the value of a script. The thread has parsed it once. */
const parseValue = (json: string): Schema.Json => JSON.parse(json)

/** Waits until the script of a thread begins. Failures before that are not caused by the script. */
const awaitStart = (thread: SandboxThread): Effect.Effect<void, SandboxUnavailable> =>
  Effect.flatMap(
    withSystemClock(Effect.timeoutOption(thread.nextMessage, startTimeout)),
    (received) => {
      if (Option.isNone(received)) return new SandboxUnavailable({ cause: `silent for ${startTimeout}` })
      const message = received.value
      return message._tag === "Began"
        ? Effect.void
        : new SandboxUnavailable({
          cause: message._tag === "Died" ? message.cause : `it told ${message._tag} at first`
        })
    }
  )

/**
 * Runs the script of a thread to its end, and returns its value. Runs `onBegin` when the script itself begins. Does not
 * end the thread.
 */
export const runScript = <E extends HostError>(
  thread: SandboxThread,
  script: Script<E>,
  memoryMb: number,
  onBegin: Effect.Effect<void>
): Effect.Effect<Schema.Json, ScriptError | SandboxUnavailable | E> =>
  Effect.scoped(Effect.gen(function*() {
    const callHandler = yield* makeCallHandler(thread, script)
    yield* awaitStart(thread)
    yield* onBegin
    script.onStart?.()
    const makeScriptError = (fault: ScriptFault) => new ScriptError({ fault })
    const handleMessages = Effect.gen(function*() {
      while (true) {
        const message = yield* thread.nextMessage
        switch (message._tag) {
          case "Asked":
            yield* Effect.forkScoped(callHandler.handleCall(message))
            break
          case "Logged":
            script.onLog?.(message.line)
            break
          case "Ended":
            return parseValue(message.value)
          case "Failed":
            return yield* Effect.fail(callHandler.findCallFailure(message.callId) ?? makeScriptError(message.fault))
          case "Died": {
            const fault = toThreadFault(message.cause, memoryMb)
            // The thread reports all errors of the script itself, so another cause ended it.
            return yield* fault._tag === "Broke"
              ? new SandboxUnavailable({ cause: message.cause })
              : makeScriptError(fault)
          }
        }
      }
    })
    const timeout = Effect.andThen(
      withSystemClock(Effect.sleep(script.limitMs)),
      makeScriptError({ _tag: "Timeout", limitMs: script.limitMs })
    )
    return yield* Effect.raceFirst(Effect.raceFirst(handleMessages, timeout), callHandler.awaitDefect)
  }))
