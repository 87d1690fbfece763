import { type HostError, SandboxUnavailable, type Script, ScriptError, type ScriptFault } from "@tapeline/core/analysis"
import { Cause, Clock, Deferred, Effect, Option, type Schema, Semaphore } from "effect"
import type { Reply, ThreadMessage } from "./protocol.ts"
import type { SandboxThread } from "./SandboxThread.ts"
import { toThreadFault } from "./scriptResult.ts"

/** The maximum time between the start of a thread and the start of its script. */
const startTimeout = "20 seconds"

/** The maximum number of calls that one script can run at the same time. */
// The limit is low, so that calls of other scripts can run between the calls of one script.
const maxConcurrentCalls = 2

/** Runs an effect with the system clock, even if the caller provides another clock. */
export const withSystemClock = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

type MessageOf<Tag extends ThreadMessage["_tag"]> = Extract<ThreadMessage, { readonly _tag: Tag }>

const makeErrorReply = (id: number, { code, message }: HostError): Reply => ({
  error: { message, ...(code === undefined ? {} : { code }), id }
})

const findFailure = <E>(cause: Cause.Cause<E>): E | undefined =>
  Cause.hasDies(cause) || Cause.hasInterrupts(cause)
    ? undefined
    : Option.getOrUndefined(Cause.findErrorOption(cause))

/**
 * Creates the handler of a script's calls. If the script does not catch the error of a failed call, the script fails
 * with the stored error.
 */
const makeCallHandler = Effect.fnUntraced(function*<E extends HostError>(thread: SandboxThread, script: Script<E>) {
  const failures = new Map<number, E>()
  const callPermits = yield* Semaphore.make(maxConcurrentCalls)
  const defect = yield* Deferred.make<never>()

  const runCall = Effect.fnUntraced(function*({ args, id, name }: MessageOf<"Asked">) {
    yield* Effect.yieldNow
    // The cast is safe because the thread has checked that the arguments are a JSON array.
    const given = JSON.parse(args) as ReadonlyArray<unknown>
    const value = yield* Effect.suspend(() => script.functions[name]!.call(given))
    thread.reply({ id, text: JSON.stringify({ value: value ?? null }) })
  })
  const handleFailure = (id: number) => (cause: Cause.Cause<E>) => {
    const failure = findFailure(cause)
    // A cause without a failure is a defect of the call, because a call is interrupted only when its script ends.
    if (failure === undefined) return Deferred.failCause(defect, Cause.die(Cause.squash(cause)))
    failures.set(id, failure)
    return Effect.sync(() => thread.reply({ id, text: JSON.stringify(makeErrorReply(id, failure)) }))
  }
  return {
    handleCall: (call: MessageOf<"Asked">) =>
      callPermits.withPermit(Effect.catchCause(runCall(call), handleFailure(call.id))),
    awaitDefect: Deferred.await(defect),
    findCallFailure: (callId: number | null): E | undefined => callId === null ? undefined : failures.get(callId)
  }
})

const parseValue = (json: string): Schema.Json => JSON.parse(json)

/**
 * Waits until the thread of a script is ready. If the thread fails before it is ready, the error is
 * `SandboxUnavailable`.
 */
const awaitStart = (thread: SandboxThread): Effect.Effect<void, SandboxUnavailable> =>
  Effect.flatMap(
    withSystemClock(Effect.timeoutOption(thread.nextMessage, startTimeout)),
    (received) => {
      if (Option.isNone(received)) return new SandboxUnavailable({ cause: `silent for ${startTimeout}` })
      const message = received.value
      return message._tag === "Began"
        ? Effect.void
        : new SandboxUnavailable({
          cause: message._tag === "Died" ? message.cause : `the first message was ${message._tag}`
        })
    }
  )

/** Runs the script of a started thread, calls `onBegin` when the script begins, and leaves the thread running. */
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
            // A thread reports every error of its script. If the thread dies for an unknown reason, the sandbox and not
            // the script failed.
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
