import { Analyst } from "@tapeline/core"
import { Effect, Predicate, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerResponse } from "node:http"
import { Draining } from "../Draining.ts"
import { eventBytes, heartbeat } from "./eventBytes.ts"
import { Streams } from "./Streams.ts"

/** What is told of a stream: that nobody on its way keeps it, changes it or gathers it up. */
const headers = { "cache-control": "no-cache, no-store, no-transform", "x-accel-buffering": "no" }

/** The response of Node that a request is answered with, where the platform is Node. */
const nodeResponseOf = (request: HttpServerRequest.HttpServerRequest): ServerResponse | undefined =>
  Predicate.hasProperty(request, "resolvedResponse") && request.resolvedResponse instanceof ServerResponse
    ? request.resolvedResponse
    : undefined

/** The events of a generation above a number, for responses of platforms other than Node. */
const anywhere = (
  analyst: Analyst["Service"],
  draining: Draining["Service"],
  generation: number,
  after: number
): Stream.Stream<Uint8Array, unknown> =>
  analyst.follow(generation, after).pipe(
    Stream.map((event) => eventBytes(generation, event)),
    Stream.merge(Stream.map(Stream.drop(Stream.tick("15 seconds"), 1), () => heartbeat), { haltStrategy: "left" }),
    Stream.interruptWhen(draining.begun)
  )

/** What follows a generation for callers: how a request is answered with its events above a number. */
export const makeStreamResponse = Effect.gen(function*() {
  const analyst = yield* Analyst
  const draining = yield* Draining
  const streams = yield* Streams
  return (
    request: HttpServerRequest.HttpServerRequest,
    { after, generation, replayed }: {
      readonly generation: number
      readonly after: number
      readonly replayed: boolean
    }
  ): HttpServerResponse.HttpServerResponse => {
    const response = nodeResponseOf(request)
    // The platform writes the head, and then runs this: all that follows goes past it.
    const body = response === undefined
      ? anywhere(analyst, draining, generation, after)
      : Stream.fromEffectDrain(Effect.sync(() => streams.takeOver(generation, after, response)))
    return HttpServerResponse.stream(body, {
      contentType: "text/event-stream; charset=utf-8",
      headers: replayed ? { ...headers, "idempotent-replayed": "true" } : headers
    })
  }
})
