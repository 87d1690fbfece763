import type { ToolSpecification } from "@tapeline/core/specifications"
import { Config, Context, Effect, Layer, Redacted, Stream } from "effect"
import type { AccountMethods } from "./account.ts"
import type { AnswerEvent, Message } from "./agent/AnswerEvent.ts"
import type { AgentMethods, Client, ConversationMethods } from "./Client.ts"
import { createClient } from "./createClient.ts"
import { type ClientError, isClientError } from "./errors.ts"
import type { NotificationEvent } from "./notifications/NotificationStream.ts"
import type { ClientSettings } from "./settings.ts"
import { type BuiltIn, makeToolProxy, type Tools } from "./tools.ts"

export * from "./index.ts"

/** A method that returns an effect instead of a promise. Interrupting the effect aborts the request. */
type EffectMethod<Method> = Method extends (...args: infer Args) => Promise<infer A>
  ? (...args: Args) => Effect.Effect<A, ClientError>
  : never

/** A method that returns a stream of its events. Ending the stream early stops only the reading. */
type StreamMethod<Method, A> = Method extends (...args: infer Args) => AsyncIterable<A>
  ? (...args: Args) => Stream.Stream<A, ClientError>
  : never

type EffectMethods<Interface, Streams extends keyof Interface, A> = {
  readonly [Name in keyof Interface]: Name extends Streams ? StreamMethod<Interface[Name], A>
    : EffectMethod<Interface[Name]>
}

/** The client with effects and streams. It has the methods of `Client`, with the errors in their types. */
export type EffectClient<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> =
  & {
    readonly [Name in Exclude<keyof Client, "tools" | "account" | "agent" | "conversations" | "notifications">]:
      EffectMethod<
        Client[Name]
      >
  }
  & {
    readonly tools: {
      readonly [Name in keyof Tools<Specifications>]: EffectMethod<Tools<Specifications>[Name]>
    }
    readonly account: EffectMethods<AccountMethods, never, never>
    readonly agent: EffectMethods<AgentMethods, "stream" | "resume", AnswerEvent>
    readonly conversations: EffectMethods<ConversationMethods, "messages", Message>
    readonly notifications: StreamMethod<Client["notifications"], NotificationEvent>
  }

/** A method of either client: its own arguments, and the options last. */
type AnyFunction<A> = (...args: ReadonlyArray<unknown>) => A

/** Returns the arguments with a signal added to the options, which are at index `optionsIndex`. */
const withSignal = (
  args: ReadonlyArray<unknown>,
  optionsIndex: number,
  signal: AbortSignal
): ReadonlyArray<unknown> => {
  const options = args[optionsIndex]
  return [
    ...Array.from({ length: optionsIndex }, (_, i) => args[i]),
    { ...(typeof options === "object" ? options : {}), signal },
    ...args.slice(optionsIndex + 1)
  ]
}

/** Treats an error that is not the client's as a defect, because it means a wrong call. */
const withClientErrors = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A, ClientError> =>
  Effect.catch(effect, (error) => isClientError(error) ? Effect.fail(error) : Effect.die(error))

const toEffect = <Method>(method: Method, optionsIndex = 1): EffectMethod<Method> => {
  // A conditional type of an unresolved type accepts nothing else.
  const call = method as AnyFunction<Promise<unknown>>
  const effectMethod = (...args: ReadonlyArray<unknown>) =>
    withClientErrors(
      Effect.tryPromise({ try: (signal) => call(...withSignal(args, optionsIndex, signal)), catch: (error) => error })
    )
  return effectMethod as EffectMethod<Method> // as for the parameter
}

const toStream = <A, Method>(method: Method): StreamMethod<Method, A> => {
  // As in `toEffect`.
  const call = method as AnyFunction<AsyncIterable<A>>
  const streamMethod = (...args: ReadonlyArray<unknown>) =>
    Stream.suspend(() => Stream.fromAsyncIterable(call(...args), (error) => error)).pipe(
      Stream.catch((error) => isClientError(error) ? Stream.fail(error) : Stream.die(error))
    )
  return streamMethod as StreamMethod<Method, A> // as in `toEffect`
}

/** Wraps a client of promises in effects. */
export const toEffectClient = <Specifications extends ReadonlyArray<ToolSpecification>>(
  client: Client<Specifications>
): EffectClient<Specifications> => {
  const { account, agent, conversations } = client
  const tools = makeToolProxy((name) => toEffect((args: unknown, options: object) => client.call(name, args, options)))
  return {
    // As in `createClientWithPlatform`.
    tools: tools as EffectClient<Specifications>["tools"],
    call: toEffect(client.call, 2),
    catalogue: toEffect(client.catalogue),
    usage: toEffect(client.usage),
    quote: toEffect(client.quote),
    chart: toEffect(client.chart),
    openapi: toEffect(client.openapi, 0),
    health: toEffect(client.health, 0),
    readiness: toEffect(client.readiness, 0),
    account: {
      signIn: toEffect(account.signIn),
      signInWays: toEffect(account.signInWays, 0),
      signOut: toEffect(account.signOut, 0),
      read: toEffect(account.read, 0),
      usage: toEffect(account.usage),
      keys: toEffect(account.keys),
      issueKey: toEffect(account.issueKey),
      changeKey: toEffect(account.changeKey, 2),
      revokeKey: toEffect(account.revokeKey),
      sessions: toEffect(account.sessions),
      endSession: toEffect(account.endSession),
      endOtherSessions: toEffect(account.endOtherSessions)
    },
    agent: {
      ask: toEffect(agent.ask),
      cancel: toEffect(agent.cancel),
      stream: toStream(agent.stream),
      resume: toStream(agent.resume)
    },
    conversations: {
      list: toEffect(conversations.list),
      read: toEffect(conversations.read, 2),
      remove: toEffect(conversations.remove),
      messages: toStream(conversations.messages)
    },
    notifications: toStream(client.notifications)
  }
}

/**
 * Makes a client of effects and streams. If the service has tools of its own, pass the type of their specifications.
 */
export const makeClient = <Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn>(
  settings: ClientSettings
): EffectClient<Specifications> => toEffectClient(createClient<Specifications>(settings))

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
