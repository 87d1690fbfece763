import { Effect } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { allScopes, type Scope } from "../../engine/access/scope.ts"
import { ScopeRequired } from "../../engine/call/errors.ts"
import type { Toolbox } from "../../engine/tool/Toolbox.ts"
import { isPersonalScope, type PersonalScope } from "../conversation.ts"
import type { Generation } from "../generation.ts"

export const requireScopes = (
  heldScopes: ReadonlyArray<Scope>,
  required: ReadonlyArray<Scope>
): Effect.Effect<void, ScopeRequired> => {
  const missing = required.find((scope) => !heldScopes.includes(scope))
  return missing === undefined ? Effect.void : Effect.fail(new ScopeRequired({ required_scope: missing }))
}

/** Returns the personal scopes of the named tools, in the order of `allScopes`. */
export const listPersonalScopes = (
  toolbox: Toolbox["Service"],
  names: ReadonlyArray<string>
): ReadonlyArray<PersonalScope> => {
  const used = new Set(names.map((name) => toolbox.find(name)?.specification.scope))
  return allScopes.filter(isPersonalScope).filter((scope) => used.has(scope))
}

export const requireChatScope = ({ scopes }: Principal): Effect.Effect<void, ScopeRequired> =>
  requireScopes(scopes, ["agent:chat"])

/**
 * Returns the scopes of conversations that a principal may read. For a task, all scopes are returned, because
 * the key that created the task does not receive the task's answers.
 */
export const listReadableScopes = ({ actor, scopes }: Principal): ReadonlyArray<Scope> =>
  actor._tag === "Task" ? allScopes : scopes

export const requireReadable = (
  principal: Principal,
  usedScopes: ReadonlyArray<Scope>
): Effect.Effect<void, ScopeRequired> => requireScopes(listReadableScopes(principal), usedScopes)

/**
 * Requires every personal scope that the running answer can use. The conversation's scopes do not suffice, because the
 * answer can use further scopes while a stream is open.
 */
export const requireFollowable = (principal: Principal, { brief }: Generation): Effect.Effect<void, ScopeRequired> =>
  requireReadable(principal, brief.principal.scopes.filter(isPersonalScope))

/**
 * Returns `agent:chat` and the personal scopes that a reader must keep while reading the events of an answer. A running
 * answer requires the personal scopes that the answer can use. A task's answer or an ended answer requires only the
 * personal scopes that the reader has.
 */
export const listFollowScopes = (
  reader: Principal,
  { brief: { principal }, state }: Generation
): ReadonlyArray<Scope> => [
  "agent:chat",
  ...(principal.actor._tag === "Task" || state !== "running" ? reader : principal).scopes.filter(isPersonalScope)
]
