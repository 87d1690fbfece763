import { type Analyst, type LoggedEvent } from "@tapeline/core"
import { Context, Effect, Predicate, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { eventBytes, heartbeat } from "./eventBytes.ts"
import { handedOver } from "./handedOver.ts"
import { type Source, Streams } from "./Streams.ts"

const contentType = "text/event-stream; charset=utf-8"
/** What is told of a stream: that nobody on its way keeps it, changes it or gathers it up. */
const headers = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }
const replayedHeaders = { ...headers, "idempotent-replayed": "true" }

/** The response of Node that a request is answered with, where the platform is Node. */
const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | undefined =>
  Predicate.hasProperty(request, "resolvedResponse") && request.resolvedResponse instanceof ServerResponse
    ? request.resolvedResponse
    : undefined

/** The events of a source above a number, for responses of platforms other than Node. */
const anywhere = (draining: Draining["Service"], source: Source, after: number): Stream.Stream<Uint8Array, unknown> =>
  source.follow(after).pipe(
    Stream.map(({ bytes }) => bytes),
    Stream.merge(Stream.map(Stream.drop(Stream.tick("15 seconds"), 1), () => heartbeat), { haltStrategy: "left" }),
    Stream.interruptWhen(draining.begun)
  )

/** The log of a generation, as its readers follow it. */
export const generationSource = (analyst: Analyst["Service"], generation: number): Source => ({
  name: `generation ${generation}`,
  follow: (after) =>
    Stream.map(
      analyst.follow(generation, after),
      (event: LoggedEvent) => ({ n: event.n, bytes: eventBytes(generation, event) })
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

interface Reading {
  readonly source: Source
  readonly after: number
}

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
    return Effect.map(handedOver(response), () => streams.read(reading.source, reading.after, response))
  }))
  return (
    request: HttpServerRequest.HttpServerRequest,
    { after, replayed = false, source }: Reading & { readonly replayed?: boolean }
  ): HttpServerResponse.HttpServerResponse => {
    const response = nodeResponseOf(request)
    if (response !== undefined) readings.set(response, { source, after })
    return HttpServerResponse.stream(response === undefined ? anywhere(draining, source, after) : taken, {
      contentType,
      headers: replayed ? replayedHeaders : headers
    })
  }
})
