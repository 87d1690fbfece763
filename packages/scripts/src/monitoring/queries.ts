/** Reads the queries of the alert rules and of the dashboards in `deploy`. */
import { Schema } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
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

const readYaml = (name: string): unknown => parse(readFileSync(join(prometheusFolder, name), "utf8"))

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

/** A metric of a query, and the labels that the metric needs, because the query selects, groups or joins by them. */
export interface QueriedMetric {
  readonly name: string
  readonly labels: ReadonlyArray<string>
}

const identifiersIn = (text: string): ReadonlyArray<string> => text.match(/[A-Za-z_]\w*/gu) ?? []

/** Returns the end of the parenthesis that opens at `start`. */
const findClosing = (text: string, start: number): number => {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === "(") depth++
    if (text[i] === ")" && --depth === 0) return i
  }
  return text.length
}

interface Group {
  readonly from: number
  readonly to: number
  readonly labels: ReadonlyArray<string>
}

/**
 * Finds the labels of aggregations with the part of the query that they aggregate, and of joins with the whole query,
 * because both sides of a join need its labels.
 */
const findGroups = (query: string): ReadonlyArray<Group> =>
  [...query.matchAll(/\b(by|on)\s*\(([^)]*)\)\s*/gu)].map(({ 0: text, 1: keyword, 2: list, index }) => {
    const from = keyword === "by" ? index + text.length : 0
    return { from, to: keyword === "by" ? findClosing(query, from) : query.length, labels: identifiersIn(list!) }
  })

/**
 * Finds the metrics of a query. Supports the part of PromQL that the rules and dashboards use: aggregations as
 * `sum by (label) (...)`, and joins with `on`.
 */
export const findMetrics = (query: string): ReadonlyArray<QueriedMetric> => {
  const blank = (text: string) => " ".repeat(text.length)
  const plain = query.replaceAll(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]/gu, blank)
  const groups = findGroups(plain)
  const names = plain.replaceAll(/\b(?:by|on)\s*\([^)]*\)/gu, blank)
    .replaceAll(/\b\d[\w.]*|[A-Za-z_]\w*\s*\(/gu, blank)
  return [...names.matchAll(/([A-Za-z_]\w*)(?:\{([^}]*)\})?/gu)]
    .filter(([, name]) => !keywords.has(name!))
    .map(({ 1: name, 2: selector = "", index }) => ({
      name: name!,
      labels: [
        ...identifiersIn(selector),
        ...groups.filter(({ from, to }) => from <= index && index < to).flatMap(({ labels }) => labels)
      ]
    }))
}
