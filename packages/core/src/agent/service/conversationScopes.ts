import { Effect } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { allScopes, type Scope } from "../../engine/access/scope.ts"
import { ScopeRequired } from "../../engine/call/errors.ts"
import type { Toolbox } from "../../engine/tool/Toolbox.ts"
import { isPersonal, type PersonalScope } from "../conversation.ts"
import type { Generation } from "../generation.ts"

/** Fails with the first of the scopes that are not held. */
export const requireAll = (
  held: ReadonlyArray<Scope>,
  required: ReadonlyArray<Scope>
): Effect.Effect<void, ScopeRequired> => {
  const missing = required.find((scope) => !held.includes(scope))
  return missing === undefined ? Effect.void : Effect.fail(new ScopeRequired({ required_scope: missing }))
}

/** The personal scopes of the tools of these names, in the order of the scopes. */
export const personalScopesOf = (
  toolbox: Toolbox["Service"],
  names: ReadonlyArray<string>
): ReadonlyArray<PersonalScope> => {
  const used = new Set(names.map((name) => toolbox.find(name)?.specification.scope))
  return allScopes.filter(isPersonal).filter((scope) => used.has(scope))
}

export const requireChat = ({ scopes }: Principal): Effect.Effect<void, ScopeRequired> =>
  requireAll(scopes, ["agent:chat"])

/**
 * The scopes of conversations that a principal may read. A task answers in its conversation and returns nothing to the
 * key that made it, so a task needs none of them.
 */
export const readableScopes = ({ actor, scopes }: Principal): ReadonlyArray<Scope> =>
  actor._tag === "Task" ? allScopes : scopes

export const requireReadable = (principal: Principal, used: ReadonlyArray<Scope>): Effect.Effect<void, ScopeRequired> =>
  requireAll(readableScopes(principal), used)

/**
 * Requires what a reader of a running answer needs: each personal scope that the answer can use. The conversation gets
 * a scope when an answer first uses it, and streams are open by then.
 */
export const requireFollowable = (principal: Principal, { brief }: Generation): Effect.Effect<void, ScopeRequired> =>
  requireReadable(principal, brief.principal.scopes.filter(isPersonal))

/**
 * The scopes that a reader of an answer must keep while reading. An answer that runs can use the personal scopes of its
 * asker. The asker could also read the conversation. A task can answer in a conversation that used more scopes than the
 * task has. An answer that has ended uses no more scopes. A reader of either must keep all of its own personal scopes.
 */
export const followScopes = (reader: Principal, { brief: { principal }, state }: Generation): ReadonlyArray<Scope> => [
  "agent:chat",
  ...(principal.actor._tag === "Task" || state !== "running" ? reader : principal).scopes.filter(isPersonal)
]
