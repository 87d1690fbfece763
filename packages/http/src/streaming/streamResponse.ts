import { type Analyst, type Language, type LoggedEvent } from "@tapeline/core"
import { followBell, type NotificationStore } from "@tapeline/core/personal"
import { Context, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { eventBytes, heartbeat, notificationBytes } from "./eventBytes.ts"
import { handedOver } from "./handedOver.ts"
import { answerStreams, bellStreams } from "./measures.ts"
import { nodeResponseOf } from "./nodeResponse.ts"
import { checkMs } from "./SocketReader.ts"
import { type Reading, type Source, Streams } from "./Streams.ts"

const contentType = "text/event-stream; charset=utf-8"
/** Headers of a stream. No proxy on the way may store, change or buffer it. */
const headers = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
const replayedHeaders = { ...headers, "idempotent-replayed": "true" }

/** The bytes that a reader receives, for responses of platforms other than Node. */
const anywhere = (
  draining: Draining["Service"],
  { after, mayGoOn, opening, source }: Reading
): Stream.Stream<Uint8Array, unknown> =>
  Stream.fromIterable(opening === undefined ? [] : [opening]).pipe(
    Stream.concat(Stream.map(source.follow(after), ({ bytes }) => bytes)),
    Stream.merge(Stream.map(Stream.drop(Stream.tick("15 seconds"), 1), () => heartbeat), { haltStrategy: "left" }),
    Stream.interruptWhen(Effect.repeat(Effect.delay(mayGoOn, checkMs), { until: (may) => !may })),
    Stream.interruptWhen(draining.begun)
  )

/** The log of a generation, as a source for readers. */
export const generationSource = (analyst: Analyst["Service"], generation: number): Source => ({
  name: `generation ${generation}`,
  open: answerStreams,
  follow: (after) =>
    Stream.map(
      analyst.follow(generation, after),
      (event: LoggedEvent) => ({ n: event.n, bytes: eventBytes(generation, event) })
    )
})

/** Maximum number of open notification streams of one account in one process. */
export const bellsPerAccount = 50

/** The notifications of an account in a language, as a source for readers. */
export const bellSource = (
  store: typeof NotificationStore["Service"],
  account: number,
  language: Language
): Source => ({
  name: `bell ${account} ${language}`,
  countedAs: `bell ${account}`,
  isEndless: true,
  open: bellStreams,
  atMost: bellsPerAccount,
  follow: (after) =>
    followBell(store, account, after).pipe(
      Stream.map((notification) => ({ n: notification.n, bytes: notificationBytes(notification, language) })),
      // A reader of notifications always has a store.
      Stream.catchTag("NoTaskStore", Stream.die)
    )
})

/** The response to a repeated request: events that are no longer in a log. */
export const retoldResponse = (
  generation: number,
  events: ReadonlyArray<LoggedEvent>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(Buffer.concat(events.map((event) => eventBytes(generation, event))), {
    contentType,
    headers: replayedHeaders
  })

/** Makes responses that stream the events of a source above a given number. */
export const makeStreamResponse = Effect.gen(function*() {
  const draining = yield* Draining
  const streams = yield* Streams
  const readings = new WeakMap<ServerResponse, Reading>()
  // The platform writes the head, and then runs this effect. Everything that follows bypasses the platform. All
  // responses share one effect, because each response and its request stay in memory for as long as the socket lasts.
  const taken = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const reading = response && readings.get(response)
    if (response === undefined || reading === undefined) return Effect.die(new Error("nothing is to be read here"))
    readings.delete(response)
    return Effect.map(handedOver(response), () => streams.read(reading, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    reading: Reading,
    replayed = false
  ): HttpServerResponse.HttpServerResponse => {
    const response = nodeResponseOf(request)
    if (response !== undefined) readings.set(response, reading)
    return HttpServerResponse.stream(response === undefined ? anywhere(draining, reading) : taken, {
      contentType,
      headers: replayed ? replayedHeaders : headers
    })
  }
})
