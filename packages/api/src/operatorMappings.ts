import type { AdminScopeRequired, AdminTokenNameTaken, BackupRunning, UnknownAdminToken } from "@tapeline/core"
import type { ProblemMapping } from "./problemMapping.ts"

/** The errors with which the service can reject a request about admin tokens or backups. */
export type OperatorRejection = AdminScopeRequired | AdminTokenNameTaken | BackupRunning | UnknownAdminToken

/** Maps the errors about admin tokens and backups to the problem responses of the service. */
export const operatorMappings = {
  AdminScopeRequired: {
    code: "admin_scope_required",
    sample: { required_scope: "write" },
    problem: ({ required_scope }) => ({
      detail: { key: "admin_scope_required", params: { scope: required_scope } },
      fields: { required_scope }
    })
  },
  AdminTokenNameTaken: {
    code: "admin_token_name_taken",
    sample: { tokenName: "prometheus" },
    problem: ({ tokenName: name }) => ({ detail: { key: "admin_token_name_taken", params: { name } } })
  },
  UnknownAdminToken: {
    code: "not_found",
    sample: { token: 5 },
    problem: ({ token: id }) => ({ detail: { key: "unknown_admin_token", params: { id } } })
  },
  BackupRunning: {
    code: "backup_running",
    sample: {},
    problem: () => ({ detail: { key: "backup_running" } })
  }
} satisfies { readonly [R in OperatorRejection as R["_tag"]]: ProblemMapping<R> }
