import { Caller, servedApi, UnknownAddress } from "@tapeline/api"
import { type ArtifactFormat, ArtifactStore, isArtifactId, sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { matchesEtag, preferredType } from "../cachedResponse.ts"
import { makeOperation } from "../responses.ts"

const formOfType = { "image/png": "png", "image/svg+xml": "svg" } as const satisfies Record<string, ArtifactFormat>

/**
 * The HTTP headers of a chart image. The image never changes, belongs to one account, and must not run scripts or load
 * other files.
 */
const imageHeaders = {
  "cache-control": "private, max-age=604800, immutable",
  vary: "authorization, cookie, accept",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff"
}

/**
 * The handler that returns chart images by id. The response to the id of another account's image equals the response to
 * an unknown id.
 */
export const layerCharts = HttpApiBuilder.group(
  servedApi,
  "charts",
  Effect.fnUntraced(function*(handlers) {
    const store = yield* ArtifactStore
    return handlers.handleRaw(
      "chart",
      makeOperation(Effect.fnUntraced(function*({ params: { id }, request }) {
        const { principal: { account } } = yield* Caller
        const contentType = preferredType(request.headers["accept"], ["image/png", "image/svg+xml"])
        const bytes = isArtifactId(id)
          ? yield* Effect.catchTag(
            store.readImage({ account, id, format: formOfType[contentType] }),
            "NoArtifactStore",
            () => Effect.succeed(null)
          )
          : null
        if (bytes === null) return yield* new UnknownAddress()
        const etag = `"${(yield* sha256(`${id} ${contentType}`)).slice(0, 32)}"`
        return matchesEtag(request.headers["if-none-match"], etag)
          ? HttpServerResponse.empty({ status: 304, headers: { ...imageHeaders, etag } })
          : HttpServerResponse.uint8Array(bytes, { contentType, headers: { ...imageHeaders, etag } })
      }))
    )
  })
)
