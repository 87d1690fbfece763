import type { ToolSpecification } from "@tapeline/core/specifications"
import { Config, Context, Effect, Layer, Redacted, Stream } from "effect"
import type { AccountMethods } from "./account.ts"
import type { AnswerEvent, Message } from "./agent/AnswerEvent.ts"
import type { BellEvent } from "./bell/BellEvent.ts"
import type { AgentMethods, Client, ConversationMethods } from "./Client.ts"
import { createClient } from "./createClient.ts"
import { type ClientError, isClientError } from "./errors.ts"
import type { ClientSettings } from "./settings.ts"
import { type BuiltIn, byToolName, type Tools } from "./tools.ts"

export * from "./index.ts"

/** A method that returns an effect instead of a promise. Interrupting the effect aborts the request. */
type Effectful<Method> = Method extends (...args: infer Args) => Promise<infer A>
  ? (...args: Args) => Effect.Effect<A, ClientError>
  : never

/** A method that returns a stream of its events. Ending the stream early stops only the reading. */
type Streaming<Method, A> = Method extends (...args: infer Args) => AsyncIterable<A>
  ? (...args: Args) => Stream.Stream<A, ClientError>
  : never

type Methods<Face, Streams extends keyof Face, A> = {
  readonly [Name in keyof Face]: Name extends Streams ? Streaming<Face[Name], A> : Effectful<Face[Name]>
}

/** The client with effects and streams. It has the methods of `Client`, with the errors in their types. */
export type EffectClient<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> =
  & {
    readonly [Name in Exclude<keyof Client, "tools" | "account" | "agent" | "conversations" | "notifications">]:
      Effectful<
        Client[Name]
      >
  }
  & {
    readonly tools: {
      readonly [Name in keyof Tools<Specifications>]: Effectful<Tools<Specifications>[Name]>
    }
    readonly account: Methods<AccountMethods, never, never>
    readonly agent: Methods<AgentMethods, "stream" | "resume", AnswerEvent>
    readonly conversations: Methods<ConversationMethods, "messages", Message>
    readonly notifications: Streaming<Client["notifications"], BellEvent>
  }

/** A method of either client: its own arguments, and the options last. */
type Call<A> = (...args: ReadonlyArray<unknown>) => A

/** Returns the arguments with a signal added to the options, which are at index `place`. */
const withSignal = (args: ReadonlyArray<unknown>, place: number, signal: AbortSignal): ReadonlyArray<unknown> => {
  const given = args[place]
  return [
    ...Array.from({ length: place }, (_, i) => args[i]),
    { ...(typeof given === "object" ? given : {}), signal },
    ...args.slice(place + 1)
  ]
}

/** Treats an error that is not the client's as a defect, because it means a wrong call. */
const typed = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, ClientError> =>
  Effect.catch(effect, (error) => isClientError(error) ? Effect.fail(error) : Effect.die(error))

const effectOf = <Method>(method: Method, place = 1): Effectful<Method> => {
  // A conditional type of an unresolved type accepts nothing else.
  const call = method as Call<Promise<unknown>>
  const effectful = (...args: ReadonlyArray<unknown>) =>
    typed(Effect.tryPromise({ try: (signal) => call(...withSignal(args, place, signal)), catch: (error) => error }))
  return effectful as Effectful<Method> // as for the parameter
}

const streamOf = <A, Method>(method: Method): Streaming<Method, A> => {
  // As in `effectOf`.
  const call = method as Call<AsyncIterable<A>>
  const streaming = (...args: ReadonlyArray<unknown>) =>
    Stream.suspend(() => Stream.fromAsyncIterable(call(...args), (error) => error)).pipe(
      Stream.catch((error) => isClientError(error) ? Stream.fail(error) : Stream.die(error))
    )
  return streaming as Streaming<Method, A> // as in `effectOf`
}

/** Wraps a client of promises in effects. */
export const effectClientOf = <Specifications extends ReadonlyArray<ToolSpecification>>(
  client: Client<Specifications>
): EffectClient<Specifications> => {
  const { account, agent, conversations } = client
  const tools = byToolName((name) => effectOf((args: unknown, options: object) => client.call(name, args, options)))
  return {
    // As in `createClientOn`.
    tools: tools as EffectClient<Specifications>["tools"],
    call: effectOf(client.call, 2),
    catalogue: effectOf(client.catalogue),
    usage: effectOf(client.usage),
    quote: effectOf(client.quote),
    chart: effectOf(client.chart),
    openapi: effectOf(client.openapi, 0),
    health: effectOf(client.health, 0),
    readiness: effectOf(client.readiness, 0),
    account: {
      signIn: effectOf(account.signIn),
      ways: effectOf(account.ways, 0),
      signOut: effectOf(account.signOut, 0),
      read: effectOf(account.read, 0),
      usage: effectOf(account.usage),
      keys: effectOf(account.keys),
      issueKey: effectOf(account.issueKey),
      changeKey: effectOf(account.changeKey, 2),
      revokeKey: effectOf(account.revokeKey),
      sessions: effectOf(account.sessions),
      endSession: effectOf(account.endSession),
      endOtherSessions: effectOf(account.endOtherSessions)
    },
    agent: {
      ask: effectOf(agent.ask),
      cancel: effectOf(agent.cancel),
      stream: streamOf(agent.stream),
      resume: streamOf(agent.resume)
    },
    conversations: {
      list: effectOf(conversations.list),
      read: effectOf(conversations.read, 2),
      remove: effectOf(conversations.remove),
      messages: streamOf(conversations.messages)
    },
    notifications: streamOf(client.notifications)
  }
}

/**
 * Makes a client of effects and streams. If the service has tools of its own, pass the type of their specifications.
 */
export const makeClient = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  settings: ClientSettings
): EffectClient<Specifications> => effectClientOf(createClient<Specifications>(settings))

/** The client as a service of an Effect program. */
export class Tapeline extends Context.Service<Tapeline, EffectClient>()("@tapeline/client/Tapeline") {
  static readonly layer = (settings: ClientSettings): Layer.Layer<Tapeline> =>
    Layer.sync(Tapeline, () => makeClient(settings))
}

/** Provides the client, configured by `TAPELINE_URL` and `TAPELINE_API_KEY`. */
// Marked as pure, so that bundlers drop it, with the configuration code, from pages that do not use it.
export const layerConfig: Layer.Layer<Tapeline, Config.ConfigError> = /* #__PURE__ */ Layer.effect(
  Tapeline,
  /* #__PURE__ */ Effect.gen(function*() {
    const url = yield* Config.String("TAPELINE_URL")
    const key = yield* Config.Redacted("TAPELINE_API_KEY")
    return makeClient({ url, key: () => Redacted.value(key) })
  })
)
