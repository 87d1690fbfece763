import type { Analyst, Language, LoggedEvent } from "@tapeline/core"
import { followNotifications, type NotificationStore } from "@tapeline/core/personal"
import { Context, Effect, Metric, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { encodeEvent, encodeNotification, heartbeat } from "./eventEncoding.ts"
import { type EventLog, EventStreams, type Subscription } from "./EventStreams.ts"
import { nodeResponseOf, takeOverResponse } from "./nodeResponse.ts"
import { permissionCheckMs } from "./SocketReader.ts"

/** The number of open streams of answers. */
export const openAnswerStreams = Metric.gauge("tapeline_agent_streams", {
  description: "Streams of answers that are open"
})

/** The number of open streams of notifications. */
export const openNotificationStreams = Metric.gauge("tapeline_bell_streams", {
  description: "Streams of notifications that are open"
})

const contentType = "text/event-stream; charset=utf-8"
/** Headers of a stream. No proxy on the way may store, change or buffer it. */
const streamHeaders = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
const replayedHeaders = { ...streamHeaders, "idempotent-replayed": "true" }

/** The bytes that a reader receives, for responses of platforms other than Node. */
const portableByteStream = (
  draining: Draining["Service"],
  { after, isStillAuthorized, initialBytes, source }: Subscription
): Stream.Stream<Uint8Array, unknown> =>
  Stream.fromIterable(initialBytes === undefined ? [] : [initialBytes]).pipe(
    Stream.concat(Stream.map(source.follow(after), ({ bytes }) => bytes)),
    Stream.merge(Stream.map(Stream.drop(Stream.tick("15 seconds"), 1), () => heartbeat), { haltStrategy: "left" }),
    Stream.interruptWhen(
      Effect.repeat(Effect.delay(isStillAuthorized, permissionCheckMs), { until: (isAuthorized) => !isAuthorized })
    ),
    Stream.interruptWhen(draining.awaitBegin)
  )

/** The log of a generation, as a source for readers. */
export const generationLog = (analyst: Analyst["Service"], generation: number): EventLog => ({
  name: `generation ${generation}`,
  openReaders: openAnswerStreams,
  follow: (after) =>
    Stream.map(
      analyst.follow(generation, after),
      (event: LoggedEvent) => ({ sequence: event.n, bytes: encodeEvent(generation, event) })
    )
})

/** Maximum number of open notification streams of one account in one process. */
export const maxNotificationStreams = 50

/** The notifications of an account in a language, as a source for readers. */
export const notificationLog = (
  store: typeof NotificationStore["Service"],
  account: number,
  language: Language
): EventLog => ({
  name: `bell ${account} ${language}`,
  limitGroup: `bell ${account}`,
  isEndless: true,
  openReaders: openNotificationStreams,
  maxReaders: maxNotificationStreams,
  follow: (after) =>
    followNotifications(store, account, after).pipe(
      Stream.map((notification) => ({ sequence: notification.n, bytes: encodeNotification(notification, language) })),
      // A reader of notifications always has a store.
      Stream.catchTag("NoTaskStore", Stream.die)
    )
})

/** The response to a repeated request: events that are no longer in a log. */
export const replayResponse = (
  generation: number,
  events: ReadonlyArray<LoggedEvent>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(Buffer.concat(events.map((event) => encodeEvent(generation, event))), {
    contentType,
    headers: replayedHeaders
  })

/** Makes responses that stream the events of a source above a given number. */
export const makeStreamResponse = Effect.gen(function*() {
  const draining = yield* Draining
  const streams = yield* EventStreams
  const subscriptions = new WeakMap<ServerResponse, Subscription>()
  // The platform writes the head, and then runs this effect. Everything that follows bypasses the platform. All
  // responses share one effect, because each response and its request stay in memory for as long as the socket lasts.
  const takeOver = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const subscription = response && subscriptions.get(response)
    if (response === undefined || subscription === undefined) return Effect.die(new Error("nothing is to be read here"))
    subscriptions.delete(response)
    return Effect.map(takeOverResponse(response), () => streams.start(subscription, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    subscription: Subscription,
    replayed = false
  ): HttpServerResponse.HttpServerResponse => {
    const response = nodeResponseOf(request)
    if (response !== undefined) subscriptions.set(response, subscription)
    return HttpServerResponse.stream(response === undefined ? portableByteStream(draining, subscription) : takeOver, {
      contentType,
      headers: replayed ? replayedHeaders : streamHeaders
    })
  }
})
