import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect, type Scope } from "effect"
import { Asker } from "./Asker.ts"
import type {
  Answer,
  FindRequest,
  Held,
  HeldRequest,
  JsonRequest,
  ParsedRequest,
  SourceOptions,
  TextRequest
} from "./request.ts"
import { asFound, asHeld, asJson, asParsed, asText } from "./shape.ts"
import { SourceHealth } from "./SourceHealth.ts"

/** A client of one host of a source. It bounds time, bytes, tries, weight and waiting calls, and decodes by schemas. */
export interface Source {
  readonly name: string
  readonly json: <A>(request: JsonRequest<A>) => Effect.Effect<Answer<A>, SourceUnavailable>
  /** Like `json`; null if the source reports that the requested item does not exist. */
  readonly find: <A>(request: FindRequest<A>) => Effect.Effect<Answer<A | null>, SourceUnavailable>
  /** Like `json`, for other formats: XML, a calendar, an archive. */
  readonly parsed: <A>(request: ParsedRequest<A>) => Effect.Effect<Answer<A>, SourceUnavailable>
  /** Sends a conditional request (ETag, Last-Modified). Returns the previous value if the source reports no change. */
  readonly held: <A>(request: HeldRequest<A>) => Effect.Effect<Answer<Held<A>>, SourceUnavailable>
  /** Returns the body as text, which the caller decodes: feeds, XML, CSV. */
  readonly text: (request: TextRequest) => Effect.Effect<Answer<string>, SourceUnavailable>
}

/** Makes a source that lives as long as the scope. `SourceHealth` contains its state for that time. */
export const makeSource: (options: SourceOptions) => Effect.Effect<Source, never, SourceHealth | Scope.Scope> = Effect
  .fnUntraced(function*(options) {
    const asker = new Asker(options, yield* Effect.scope)
    const health = yield* SourceHealth
    yield* health.watch((now) => asker.state(now))
    return {
      name: options.name,
      json: (request) => asker.ask(request, asJson(request)),
      find: (request) => asker.ask(request, asFound(request)),
      parsed: (request) => asker.ask(request, asParsed(request)),
      held: (request) => asker.ask(request, asHeld(request)),
      text: (request) => asker.ask(request, asText)
    }
  })
