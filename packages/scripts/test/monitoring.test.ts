import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "../src/manifest.ts"
import {
  findMetrics,
  readAlertRules,
  readDashboards,
  readRuleTests,
  withoutVariables
} from "../src/monitoring/queries.ts"
import { findSeriesLabels, servedMetrics } from "../src/monitoring/servedMetrics.ts"
import { findAnchors } from "../src/site/links.ts"

/** The labels that Prometheus adds to each series. */
const scrapeLabels = ["job", "instance"]

const rules = readAlertRules()
const dashboards = readDashboards()

/** Each query, with its place and the labels that its texts show. */
const queries = [
  ...rules.map(({ alert, annotations, expr }) => ({
    place: alert,
    expr,
    shown: [...`${annotations.summary} ${annotations.description}`.matchAll(/\$labels\.(\w+)/gu)]
  })),
  ...dashboards.flatMap(({ panels, uid }) =>
    panels.flatMap(({ targets, title }) =>
      targets.map(({ expr, legendFormat }) => ({
        place: `${uid}: ${title}`,
        expr: withoutVariables(expr),
        shown: [...legendFormat.matchAll(/\{\{(\w+)\}\}/gu)]
      }))
    )
  )
].map(({ expr, place, shown }) => ({ place, expr, shownLabels: shown.map(([, label]) => label!) }))

const findFaults = (expr: string, shownLabels: ReadonlyArray<string>): ReadonlyArray<string> => {
  const metrics = findMetrics(expr)
  const labelsOf = (name: string) => [...scrapeLabels, ...findSeriesLabels(name) ?? []]
  const knownLabels = metrics.flatMap(({ name }) => labelsOf(name))
  return [
    ...metrics.length === 0 ? ["no metric"] : [],
    ...metrics.flatMap(({ labels, name }) =>
      findSeriesLabels(name) === undefined ? [name] : labels.filter((label) => !labelsOf(name).includes(label))
    ),
    ...shownLabels.filter((label) => !knownLabels.includes(label))
  ]
}

it("uses only served metrics and their labels in rules and dashboards", () => {
  expect(rules.length).toBeGreaterThan(20)
  expect(dashboards.map(({ uid }) => uid)).toEqual([
    "tapeline-agent",
    "tapeline-database",
    "tapeline-market",
    "tapeline-service"
  ])
  expect(queries.filter(({ expr, shownLabels }) => findFaults(expr, shownLabels).length > 0)).toEqual([])
})

it("finds unknown metrics and labels in a query", () => {
  expect(findFaults("sum by (tool) (rate(tapeline_calls{job=\"tapeline\"}[5m])) > 1e3", [])).toEqual([])
  expect(findFaults("sum by (model) (rate(tapeline_calls[5m])) / tapeline_callz", ["le"])).toEqual([
    "model",
    "tapeline_callz",
    "le"
  ])
  expect(findFaults("tapeline_calls{route=\"a\"} unless on (code) up", [])).toEqual(["route", "code", "code"])
  const ratio = (selector: string, group: string) =>
    `sum by (${group}) (tapeline_calls{${selector}="a"}) / sum by (${group}) (tapeline_agent_answers)`
  expect(findFaults(ratio("outcome", "outcome"), [])).toEqual([])
  expect(findFaults(ratio("model", "outcome"), [])).toEqual(["model"])
  expect(findFaults(ratio("outcome", "tool"), [])).toEqual(["tool"])
  expect(findFaults("rate(tapeline_call_duration_ms[5m])", [])).toEqual(["tapeline_call_duration_ms"])
})

it("lists every metric of the sources", () => {
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root })
    .filter((path) => !/^packages.(bench|scripts|soak|testing|wire|evaluation)/u.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"))
  const names = sources.flatMap((source) =>
    [...source.matchAll(/(?:Metric\.(?:counter|gauge|histogram)|makeCounter<[^(]*>)\(\s*"([^"]+)"/gu)].map(([, name]) =>
      name!.replaceAll(".", "_")
    )
  )
  expect(Object.keys(servedMetrics).sort()).toEqual([...new Set(names)].sort())
})

it("describes every metric in the documents", () => {
  const documents = ["operating", "live-market", "models"].map((page) =>
    readFileSync(join(root, `docs/${page}.md`), "utf8")
  ).join("\n")
  const spelled = (name: string) => [`\`${name}\``, `\`${name.replace("gen_ai_client_", "gen_ai.client.")}\``]
  const isDescribed = (name: string) => spelled(name).some((text) => documents.includes(text))
  expect(Object.keys(servedMetrics).filter((name) => !isDescribed(name))).toEqual([])
})

it("tests that each alert fires, and that healthy cases fire no alert", () => {
  const tests = readRuleTests()
  expect(new Set(tests.flatMap(({ alerts }) => alerts))).toEqual(new Set(rules.map(({ alert }) => alert)))
  expect(tests.filter(({ alerts }) => alerts.length === 0).length).toBeGreaterThan(5)
})

it("links each alert to a section of the runbooks that names the alert", () => {
  const page = readFileSync(join(root, "docs/runbooks.md"), "utf8")
  const sections = page.split(/^(?=## )/mu).map((text) => ({ text, anchors: findAnchors(text) }))
  const unlinked = rules.filter(({ alert, annotations }) => {
    const [path, anchor = ""] = annotations.runbook_url.split("#")
    const section = sections.find(({ anchors }) => anchors.has(anchor))
    return path !== "docs/runbooks.md" || !section?.text.includes(`\`${alert}\``)
  })
  expect(unlinked.map(({ alert }) => alert)).toEqual([])
  const named = [...page.matchAll(/`(Tapeline[A-Z]\w+)`/gu)].map(([, name]) => name)
  expect(named.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([])
})

it("selects the data source and the processes of each dashboard by variables", () => {
  for (const { panels, templating, title } of dashboards) {
    expect(templating.list.map(({ name }) => name), title).toEqual(["datasource", "instance"])
    for (const { datasource, targets } of panels) {
      expect(datasource, title).toEqual({ type: "prometheus", uid: "${datasource}" })
      for (const { expr } of targets) expect(expr, title).toContain("instance=~\"$instance\"")
    }
  }
})
