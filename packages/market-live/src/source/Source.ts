import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect, type Scope } from "effect"
import type {
  ConditionalRequest,
  FindRequest,
  JsonRequest,
  ParsedRequest,
  SourceOptions,
  SourceResponse,
  TextRequest,
  ValidatedValue
} from "./request.ts"
import { conditionalReader, jsonReader, optionalReader, parsedReader, textReader } from "./responseReaders.ts"
import { SourceClient } from "./SourceClient.ts"
import { SourceHealth } from "./SourceHealth.ts"

/**
 * A client of one host of a source. The client limits the duration, size, number and rate of requests, and decodes
 * responses by schema.
 */
export interface Source {
  readonly name: string
  readonly json: <A>(request: JsonRequest<A>) => Effect.Effect<SourceResponse<A>, SourceUnavailable>
  /** Requests JSON like `json`, but returns null if the source reports that the requested item does not exist. */
  readonly find: <A>(request: FindRequest<A>) => Effect.Effect<SourceResponse<A | null>, SourceUnavailable>
  /** Requests a response in another format than JSON, such as XML, a calendar or an archive. */
  readonly parsed: <A>(request: ParsedRequest<A>) => Effect.Effect<SourceResponse<A>, SourceUnavailable>
  /**
   * Sends a conditional request (ETag, Last-Modified), and returns the previous value if the source reports no change.
   */
  readonly conditional: <A>(
    request: ConditionalRequest<A>
  ) => Effect.Effect<SourceResponse<ValidatedValue<A>>, SourceUnavailable>
  /** Returns the response body as text, which the caller decodes, such as XML or CSV. */
  readonly text: (request: TextRequest) => Effect.Effect<SourceResponse<string>, SourceUnavailable>
}

/** Creates a source that lives until the scope closes. `SourceHealth` reports the state of the source. */
export const makeSource: (options: SourceOptions) => Effect.Effect<Source, never, SourceHealth | Scope.Scope> = Effect
  .fnUntraced(function*(options) {
    const client = new SourceClient(options, yield* Effect.scope)
    const health = yield* SourceHealth
    yield* health.register((now) => client.state(now))
    return {
      name: options.name,
      json: (request) => client.request(request, jsonReader(request)),
      find: (request) => client.request(request, optionalReader(request)),
      parsed: (request) => client.request(request, parsedReader(request)),
      conditional: (request) => client.request(request, conditionalReader(request)),
      text: (request) => client.request(request, textReader)
    }
  })
