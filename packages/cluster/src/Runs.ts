import { type Generation, GenerationExecutor, GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Deferred, Effect, FiberMap, Latch, Layer, Schedule } from "effect"

/**
 * A request to run a generation. A process reads the generation's database row before the process runs the generation.
 */
export interface RunRequest {
  readonly generation: number
  /**
   * The generation's epoch at the time of the request. A process that takes over the generation increases the epoch.
   */
  readonly epoch: number
  readonly node: string
  /**
   * True if a sweep found the generation before any process took the generation. Normally, a process that takes over
   * the generation increases the epoch by one. In a cluster, the epoch increases by two if a sweep requested the
   * takeover. Processes compare the epochs to find out whether a sweep requested the takeover.
   */
  readonly foundBySweep?: boolean
}

export interface Peers {
  readonly isAlive: (node: string) => Effect.Effect<boolean>
  readonly request: (generation: number, epoch: number, foundBySweep: boolean) => Effect.Effect<void>
}

interface ActiveRun {
  readonly halt: Latch.Latch
  readonly done: Deferred.Deferred<void>
  /** The pending requests to run the generation, from one or several processes. */
  readonly requests: Set<RunRequest>
}

/** Retries until the store is available. Without retries, a failed run would wait for the next sweep. */
const retrySchedule = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

const checkEvery = "500 millis"

interface CheckDependencies {
  readonly advance: GenerationExecutor["Service"]["execute"]
  /** Whether the current process is the only process that uses the store. */
  readonly isOnlyProcess: boolean
  readonly generations: GenerationStore["Service"]
  readonly node: string
}

const makeCheckRequests = ({ advance, generations, isOnlyProcess, node }: CheckDependencies) => {
  /**
   * For each request whose take failed, the epochs that the current process tried to set. If the generation has one of
   * the recorded epochs, the failed take was stored after all.
   */
  const failed = new WeakMap<RunRequest, ReadonlyArray<number>>()

  const checkRequest = Effect.fnUntraced(function*(
    request: RunRequest,
    row: Generation,
    peers: Peers,
    halted: Effect.Effect<void>
  ): Effect.fn.Return<"Done" | "Waiting", StoreUnavailable> {
    const { epoch, foundBySweep = false, generation, node: requester } = request
    const isTaken = row.epoch !== epoch
    const isForRequest = !isTaken || row.epoch === epoch + (foundBySweep ? 2 : 1)
    const isOwn = requester === node
    // If another process took the generation with the same epoch in the meantime, the current process takes the
    // generation over and the other process stops.
    const isOwnTake = failed.get(request)?.includes(row.epoch) === true
    // The epoch shows that the failed take was not stored. Later, only another process can set the epoch of the
    // failed take.
    if (!isOwnTake) failed.delete(request)
    // The requester's process may have ended after the current process took the generation for another request.
    const isAbandoned = isOnlyProcess || isOwnTake ||
      (!isOwn && isForRequest && !(yield* peers.isAlive(requester)))
    if (isTaken && !isAbandoned) return isOwn || !isForRequest ? "Done" : "Waiting"
    // The new request names the current process, so that other processes notice when this process ends.
    if (!isOnlyProcess && (!isOwn || isTaken)) yield* peers.request(generation, row.epoch, foundBySweep && !isTaken)
    const epochs = foundBySweep && !isTaken && !isOnlyProcess ? 2 : 1
    const advanced = yield* Effect.tapError(
      advance(generation, halted, isAbandoned ? 0 : undefined, epochs),
      () => Effect.sync(() => failed.set(request, [...(isOwnTake ? [row.epoch] : []), row.epoch + epochs]))
    )
    if (advanced !== "Elsewhere") return "Done"
    // If the epoch has not changed, a living process has held the generation since before the request, so the request
    // is obsolete. If the epoch has changed, another process has just taken the generation, perhaps for the request.
    const current = yield* generations.find(generation)
    return !isAbandoned && current?.epoch === row.epoch ? "Done" : "Waiting"
  })

  return Effect.fnUntraced(function*(
    generation: number,
    requests: Set<RunRequest>,
    peers: Peers,
    halted: Effect.Effect<void>
  ): Effect.fn.Return<boolean, StoreUnavailable> {
    for (const request of Array.from(requests)) {
      const row = yield* generations.find(generation)
      if (row === null || row.state !== "running") requests.clear()
      else if ((yield* checkRequest(request, row, peers, halted)) === "Done") requests.delete(request)
    }
    return requests.size === 0
  })
}

/** Runs generations in the current process. */
export class Runs extends Context.Service<Runs, {
  readonly node: string
  readonly has: (generation: number) => boolean
  /**
   * Runs a generation until the generation ends or another process takes over. Interrupting the caller does not stop
   * the run.
   */
  readonly run: (request: RunRequest, peers: Peers) => Effect.Effect<void>
  readonly halt: (generation: number) => void
  /** Stops all runs, so that other processes can take over the generations; no run begins after the stop. */
  readonly stop: Effect.Effect<void>
}>()("@tapeline/cluster/Runs") {
  /**
   * Creates the service that runs generations, where `isOnlyProcess` means that no other process uses the same store.
   */
  static readonly layer = (isOnlyProcess: boolean): Layer.Layer<Runs, never, GenerationExecutor | GenerationStore> =>
    Layer.effect(
      Runs,
      Effect.gen(function*() {
        const [{ execute }, generations] = yield* Effect.all([GenerationExecutor, GenerationStore])
        const node = crypto.randomUUID()
        const active = new Map<number, ActiveRun>()
        const fibres = yield* FiberMap.make<number>()
        let stopped = false

        const checkRequests = makeCheckRequests({ advance: execute, generations, isOnlyProcess, node })

        const begin = (request: RunRequest, peers: Peers) => {
          const { generation } = request
          const halt = Latch.makeUnsafe(false)
          const begun: ActiveRun = { halt, done: Deferred.makeUnsafe(), requests: new Set([request]) }
          active.set(generation, begun)
          const halted = Effect.tap(halt.await, () => Effect.sync(() => halt.closeUnsafe()))
          const run = Effect.retry(checkRequests(generation, begun.requests, peers, halted), retrySchedule).pipe(
            Effect.repeat({ schedule: Schedule.spaced(checkEvery), until: (isDone) => isDone }),
            Effect.orDie,
            Effect.catchDefect((defect) => {
              begun.requests.clear()
              return Effect.logError(`The run of generation ${generation} failed`, defect)
            }),
            Effect.andThen(Effect.sync(() => {
              active.delete(generation)
              Deferred.doneUnsafe(begun.done, Effect.void)
            }))
          )
          return Effect.as(FiberMap.run(fibres, generation, run), begun)
        }

        const run = (request: RunRequest, peers: Peers): Effect.Effect<void> =>
          Effect.suspend(() => {
            if (stopped) return Effect.never
            const found = active.get(request.generation)
            found?.requests.add(request)
            const joined = found === undefined ? Effect.uninterruptible(begin(request, peers)) : Effect.succeed(found)
            return Effect.flatMap(joined, ({ done, requests }) =>
              Effect.andThen(
                Deferred.await(done),
                // A request may have been added after the last check, so `requests` is checked again.
                Effect.suspend(() => requests.has(request) ? run(request, peers) : Effect.void)
              ))
          })

        return Runs.of({
          node,
          run,
          has: (generation) => active.has(generation),
          halt: (generation) => active.get(generation)?.halt.openUnsafe(),
          stop: Effect.suspend(() => {
            stopped = true
            return FiberMap.clear(fibres)
          })
        })
      })
    )
}
