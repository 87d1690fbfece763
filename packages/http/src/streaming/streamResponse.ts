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

export const openAnswerStreams = Metric.gauge("tapeline_agent_streams", {
  description: "Open streams of answers"
})

export const openNotificationStreams = Metric.gauge("tapeline_bell_streams", {
  description: "Open streams of notifications"
})

const contentType = "text/event-stream; charset=utf-8"
/** The headers of an event stream. Proxies must not store, change or buffer the stream. */
const streamHeaders = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }

/** Returns the bytes of an event stream for one reader, on platforms other than Node. */
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

export const generationLog = (analyst: Analyst["Service"], generation: number): EventLog => ({
  name: `generation ${generation}`,
  openReaders: openAnswerStreams,
  follow: (after) =>
    Stream.map(
      analyst.follow(generation, after),
      (event: LoggedEvent) => ({ sequence: event.n, bytes: encodeEvent(generation, event) })
    )
})

/** The maximum number of open notification streams of an account in one process. */
export const maxNotificationStreams = 50

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
      Stream.catchTag("NoTaskStore", Stream.die)
    )
})

/**
 * Returns a response that contains all given events of one generation. Responds to a repeated request if the event log
 * no longer contains the answer's events.
 */
export const replayResponse = (
  generation: number,
  events: ReadonlyArray<LoggedEvent>,
  headers: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(Buffer.concat(events.map((event) => encodeEvent(generation, event))), {
    contentType,
    headers: { ...streamHeaders, ...headers }
  })

export const makeStreamResponse = Effect.gen(function*() {
  const draining = yield* Draining
  const streams = yield* EventStreams
  const subscriptions = new WeakMap<ServerResponse, Subscription>()
  // The platform writes the headers and then runs `takeOver`; all later writes bypass the platform. All responses share
  // one effect, because each response stays in memory for as long as the socket lasts.
  const takeOver = Stream.fromEffectDrain(Effect.withFiber((fiber) => {
    const response = nodeResponseOf(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
    const subscription = response && subscriptions.get(response)
    if (response === undefined || subscription === undefined) {
      return Effect.die(new Error("the response has no stream to read"))
    }
    subscriptions.delete(response)
    return Effect.map(takeOverResponse(response), () => streams.start(subscription, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    subscription: Subscription,
    headers: Readonly<Record<string, string>> = {}
  ): HttpServerResponse.HttpServerResponse => {
    const response = nodeResponseOf(request)
    if (response !== undefined) subscriptions.set(response, subscription)
    return HttpServerResponse.stream(response === undefined ? portableByteStream(draining, subscription) : takeOver, {
      contentType,
      headers: { ...streamHeaders, ...headers }
    })
  }
})
