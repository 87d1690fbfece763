/** Reads the queries of the alert rules and of the dashboards in `deploy`. */
import { Schema } from "effect"
import { Yaml } from "effect/encoding"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../manifest.ts"

export const prometheusFolder = join(root, "deploy/prometheus")

const RuleFile = Schema.Struct({
  groups: Schema.Array(Schema.Struct({
    name: Schema.String,
    rules: Schema.Array(Schema.Struct({
      alert: Schema.String,
      expr: Schema.String,
      for: Schema.optionalKey(Schema.String),
      labels: Schema.Struct({ severity: Schema.Literals(["critical", "warning"]) }),
      annotations: Schema.Struct({ summary: Schema.String, description: Schema.String, runbook_url: Schema.String })
    }))
  }))
})

const RuleTestFile = Schema.Struct({
  tests: Schema.Array(Schema.Struct({
    name: Schema.String,
    promql_expr_test: Schema.Array(Schema.Struct({
      exp_samples: Schema.Array(Schema.Struct({ labels: Schema.String, value: Schema.Finite }))
    }))
  }))
})

const Dashboard = Schema.Struct({
  uid: Schema.String,
  title: Schema.String,
  templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String })) }),
  panels: Schema.Array(Schema.Struct({
    title: Schema.String,
    datasource: Schema.Struct({ type: Schema.String, uid: Schema.String }),
    targets: Schema.Array(Schema.Struct({ expr: Schema.String, legendFormat: Schema.String }))
  }))
})

const readYaml = (name: string): unknown => Yaml.parse(readFileSync(join(prometheusFolder, name), "utf8"))

export type AlertRule = typeof RuleFile.Type["groups"][number]["rules"][number]

export const readAlertRules = (): ReadonlyArray<AlertRule> =>
  Schema.decodeUnknownSync(RuleFile)(readYaml("tapeline.rules.yaml")).groups.flatMap(({ rules }) => rules)

/** The unit tests of the rules, each with the names of the alerts that it expects to fire. */
export const readRuleTests = (): ReadonlyArray<{ readonly name: string; readonly alerts: ReadonlyArray<string> }> =>
  Schema.decodeUnknownSync(RuleTestFile)(readYaml("tapeline.rules.test.yaml")).tests.map((
    { name, promql_expr_test }
  ) => ({
    name,
    alerts: promql_expr_test.flatMap(({ exp_samples }) =>
      exp_samples.map(({ labels }) => /alertname="(\w+)"/u.exec(labels)![1]!)
    )
  }))

export const readDashboards = (): ReadonlyArray<typeof Dashboard.Type> =>
  globSync("deploy/grafana/*.json", { cwd: root }).sort().map((path) =>
    Schema.decodeUnknownSync(Schema.fromJsonString(Dashboard))(readFileSync(join(root, path), "utf8"))
  )

/** Replaces the variables of Grafana in a query. */
export const withoutVariables = (query: string): string =>
  query.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*")

const keywords = new Set(["and", "or", "unless", "bool", "inf", "nan"])

/** The metrics that a query reads, and the labels that it uses to group, join or select. */
export interface QueryNames {
  readonly metrics: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
}

const identifiersIn = (text: string): ReadonlyArray<string> => text.match(/[A-Za-z_]\w*/gu) ?? []

/** Finds the names in a query. Supports the part of PromQL that the rules and dashboards use. */
export const findNames = (query: string): QueryNames => {
  const labels: Array<string> = []
  const metrics = query
    .replaceAll(/"(?:[^"\\]|\\.)*"/gu, "")
    .replaceAll(/\[[^\]]*\]/gu, "")
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/gu, (_, list: string) => {
      labels.push(...identifiersIn(list))
      return " "
    })
    .replaceAll(/\{([^}]*)\}/gu, (_, list: string) => {
      labels.push(...identifiersIn(list))
      return " "
    })
    .replaceAll(/\b\d[\w.]*/gu, " ")
    .replaceAll(/[A-Za-z_]\w*\s*\(/gu, " ")
  return { metrics: identifiersIn(metrics).filter((name) => !keywords.has(name)), labels }
}
