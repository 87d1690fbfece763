import { Effect, Option } from "effect"
import { HttpServer } from "effect/http"

const listeningAddress = ({ address }: HttpServer.HttpServer["Service"]): string => {
  const text = HttpServer.formatAddress(address)
  return "port" in address && !/\/\/(0\.0\.0\.0|\[::\])(:|$)/.test(text) ? text : ""
}

/**
 * The prefix of addresses in results: the public URL, or the address on which this process listens. It is empty if the
 * process listens on every address, so that results contain paths. The `Host` of a request is never used, because
 * results are stored and shown to other users.
 */
export const publicAddress = (publicUrl: string | undefined): Effect.Effect<string> =>
  publicUrl === undefined
    ? Effect.map(
      Effect.serviceOption(HttpServer.HttpServer),
      Option.match({ onNone: () => "", onSome: listeningAddress })
    )
    : Effect.succeed(publicUrl.replace(/\/+$/, ""))
