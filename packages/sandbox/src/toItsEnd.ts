import { type HostError, SandboxUnavailable, type Script, ScriptError, type ScriptFault } from "@tapeline/core/analysis"
import { Cause, Clock, Deferred, Effect, Option, type Schema, Semaphore } from "effect"
import { faultOfThrown } from "./faults.ts"
import type { Reply, Told } from "./protocol.ts"
import type { SandboxThread } from "./SandboxThread.ts"

/** A thread that has not begun its script after this time is ended. */
const beginWithin = "20 seconds"

/**
 * Maximum number of concurrent calls of one script. Further calls wait, so that calls of other scripts run in between.
 */
const answeredAtOnce = 2

/** Runs an effect with the machine's clock, whatever clock its caller has. */
export const byTheMachinesTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

type Of<Tag extends Told["_tag"]> = Extract<Told, { readonly _tag: Tag }>

/** The part of a failure that a script's function may see. */
const replyTo = (id: number, { code, message }: HostError): Reply => ({
  error: { message, ...(code === undefined ? {} : { code }), id }
})

/** Returns the error of a failed call; undefined for a defect or an interruption. */
const failureOf = <E>(cause: Cause.Cause<E>): E | undefined =>
  Cause.hasDies(cause) || Cause.hasInterrupts(cause)
    ? undefined
    : Option.getOrUndefined(Cause.findErrorOption(cause))

/** Runs the calls of a script, and keeps the errors of failed calls, because the script may not catch them. */
const makeAnswering = Effect.fnUntraced(function*<E extends HostError>(thread: SandboxThread, script: Script<E>) {
  const failures = new Map<number, E>()
  const turns = yield* Semaphore.make(answeredAtOnce)
  const broken = yield* Deferred.make<never>()

  const answer = Effect.fnUntraced(function*({ args, id, name }: Of<"Asked">) {
    // Calls of other scripts run first.
    yield* Effect.yieldNow
    // The thread has checked that the arguments are a list.
    const given = JSON.parse(args) as ReadonlyArray<unknown>
    const value = yield* Effect.suspend(() => script.functions[name]!.answer(given))
    thread.answer({ id, text: JSON.stringify({ value: value ?? null }) })
  })
  const failed = (id: number) => (cause: Cause.Cause<E>) => {
    const failure = failureOf(cause)
    // A defect. An interruption happens only when the script itself ends.
    if (failure === undefined) return Deferred.failCause(broken, Cause.die(Cause.squash(cause)))
    failures.set(id, failure)
    return Effect.sync(() => thread.answer({ id, text: JSON.stringify(replyTo(id, failure)) }))
  }
  return {
    answer: (asked: Of<"Asked">) => turns.withPermit(Effect.catchCause(answer(asked), failed(asked.id))),
    /** Fails with the defect of a call, if a call has one. */
    broken: Deferred.await(broken),
    failureOf: (asked: number | null): E | undefined => asked === null ? undefined : failures.get(asked)
  }
})

/** Parses the value of a script. The thread has parsed it once. */
const valueIn = (json: string): Schema.Json => JSON.parse(json)

/** Waits until the script of a thread begins. Failures before that are not caused by the script. */
const begun = (thread: SandboxThread): Effect.Effect<void, SandboxUnavailable> =>
  Effect.flatMap(
    byTheMachinesTime(Effect.timeoutOption(thread.next, beginWithin)),
    (heard) => {
      if (Option.isNone(heard)) return new SandboxUnavailable({ cause: `silent for ${beginWithin}` })
      const told = heard.value
      return told._tag === "Began"
        ? Effect.void
        : new SandboxUnavailable({ cause: told._tag === "Died" ? told.cause : `it told ${told._tag} at first` })
    }
  )

/**
 * Runs the script of a thread to its end, and returns its value. Runs `begin` when the script itself begins. Does not
 * end the thread.
 */
export const toItsEnd = <E extends HostError>(
  thread: SandboxThread,
  script: Script<E>,
  memoryMb: number,
  begin: Effect.Effect<void>
): Effect.Effect<Schema.Json, ScriptError | SandboxUnavailable | E> =>
  Effect.scoped(Effect.gen(function*() {
    const answering = yield* makeAnswering(thread, script)
    yield* begun(thread)
    yield* begin
    script.begun?.()
    const wrong = (fault: ScriptFault) => new ScriptError({ fault })
    const heard = Effect.gen(function*() {
      while (true) {
        const told = yield* thread.next
        switch (told._tag) {
          case "Asked":
            yield* Effect.forkScoped(answering.answer(told))
            break
          case "Logged":
            script.log?.(told.line)
            break
          case "Ended":
            return valueIn(told.value)
          case "Failed":
            return yield* Effect.fail(answering.failureOf(told.asked) ?? wrong(told.fault))
          case "Died": {
            const fault = faultOfThrown(told.cause, memoryMb)
            // The thread reports all errors of the script itself, so another cause ended it.
            return yield* fault._tag === "Broke" ? new SandboxUnavailable({ cause: told.cause }) : wrong(fault)
          }
        }
      }
    })
    const late = Effect.andThen(
      byTheMachinesTime(Effect.sleep(script.limitMs)),
      wrong({ _tag: "Timeout", limitMs: script.limitMs })
    )
    return yield* Effect.raceFirst(Effect.raceFirst(heard, late), answering.broken)
  }))
