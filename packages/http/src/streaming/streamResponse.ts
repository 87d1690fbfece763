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
/** What is told of a stream: that nobody on its way keeps it, changes it or gathers it up. */
const headers = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
const replayedHeaders = { ...headers, "idempotent-replayed": "true" }

/** What a reader is written, for responses of platforms other than Node. */
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

/** The log of a generation, as its readers follow it. */
export const generationSource = (analyst: Analyst["Service"], generation: number): Source => ({
  name: `generation ${generation}`,
  open: answerStreams,
  follow: (after) =>
    Stream.map(
      analyst.follow(generation, after),
      (event: LoggedEvent) => ({ n: event.n, bytes: eventBytes(generation, event) })
    )
})

/** So many streams of one bell may be open in one process. */
export const bellsPerAccount = 50

/** The bell of an account in a language, as its readers follow it. */
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
      // Who has a bell to read has a store.
      Stream.catchTag("NoTaskStore", Stream.die)
    )
})

/** A repeat of a request is answered with events that are no log's any more. */
export const retoldResponse = (
  generation: number,
  events: ReadonlyArray<LoggedEvent>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(Buffer.concat(events.map((event) => eventBytes(generation, event))), {
    contentType,
    headers: replayedHeaders
  })

/** How a request is answered with the events of a source above a number. */
export const makeStreamResponse = Effect.gen(function*() {
  const draining = yield* Draining
  const streams = yield* Streams
  const readings = new WeakMap<ServerResponse, Reading>()
  // The platform writes the head, and then runs this: all that follows goes past it. One for all responses, since each
  // is kept with its request for as long as its socket lasts.
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
