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

/** One host of a source, asked in one way: bounded in time, bytes, tries, weight and waiting; decoded by schemas. */
export interface Source {
  readonly name: string
  readonly json: <A>(request: JsonRequest<A>) => Effect.Effect<Answer<A>, SourceUnavailable>
  /** As `json`; null where the source says that there is no such thing. */
  readonly find: <A>(request: FindRequest<A>) => Effect.Effect<Answer<A | null>, SourceUnavailable>
  /** As `json`, of another format: XML, a calendar, an archive. */
  readonly parsed: <A>(request: ParsedRequest<A>) => Effect.Effect<Answer<A>, SourceUnavailable>
  /** What is told again only where it changed, by the source's own validators; what was told before, where not. */
  readonly held: <A>(request: HeldRequest<A>) => Effect.Effect<Answer<Held<A>>, SourceUnavailable>
  /** The body as text, which the caller decodes: feeds, XML, CSV. */
  readonly text: (request: TextRequest) => Effect.Effect<Answer<string>, SourceUnavailable>
}

/** A source that lives as long as the scope, and is told of in `SourceHealth` so long. */
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
