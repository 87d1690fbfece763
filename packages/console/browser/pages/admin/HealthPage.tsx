import { useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { Badge, Figure, Figures, PageHeader, Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { widgetTexts } from "../../widgets/texts.ts"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"
import { healthTexts } from "./healthTexts.ts"
import { parseMetrics, type Sample, sumOf } from "./metrics.ts"
import { readReadiness } from "./readiness.ts"

const refreshMs = 15_000

const ReadinessPanel = () => {
  const texts = useTexts(healthTexts)
  const readiness = useAdminRequest(["readiness"], (_, { signal }) => readReadiness(signal), {
    refreshMs,
    freshMs: 2_000
  })
  return (
    <Panel title={texts.readiness}>
      <RequestView request={readiness}>
        {({ detail, sourcesAway, state }) => (
          <div className="column gap-2">
            <div className="row wrap gap-2">
              <Badge variant={state === "ready" ? "good" : state === "elsewhere" ? "plain" : "bad"}>
                {state === "ready" ? texts.ready : state === "elsewhere" ? texts.readinessElsewhere : texts.notReady}
              </Badge>
              <span>
                {state === "ready"
                  ? texts.readyDetail
                  : state === "elsewhere"
                  ? texts.readinessElsewhereDetail
                  : state === "unreachable"
                  ? texts.unreachable
                  : <code className={styles["breakable"]}>{detail}</code>}
              </span>
            </div>
            {sourcesAway.length > 0 && (
              <p>
                {texts.sourcesAway}: <code>{sourcesAway.join(", ")}</code>
              </p>
            )}
          </div>
        )}
      </RequestView>
    </Panel>
  )
}

const KeyFigures = ({ samples }: { readonly samples: ReadonlyArray<Sample> }) => {
  const texts = useTexts(healthTexts)
  const { figure, integer } = useNumbers()
  const show = (name: string, labels?: Readonly<Record<string, string>>): string => {
    const sum = sumOf(samples, name, labels)
    return sum === undefined ? "–" : integer(sum)
  }
  const sweepLagMs = sumOf(samples, "tapeline_task_sweep_lag_ms")
  return (
    <Panel title={texts.figures}>
      <div className="column gap-4">
        <Figures>
          <Figure name={texts.callsOk}>{show("tapeline_calls", { outcome: "ok" })}</Figure>
          <Figure name={texts.callsFailed}>{show("tapeline_calls", { outcome: "failed" })}</Figure>
          <Figure name={texts.serverErrors} detail={texts.serverErrorsDetail}>
            {show("tapeline_http_responses", { status_class: "5xx" })}
          </Figure>
          <Figure name={texts.unavailable} detail={texts.unavailableDetail}>
            {show("tapeline_http_rejections", { code: "unavailable" })}
          </Figure>
          <Figure name={texts.answers}>{show("tapeline_agent_answers")}</Figure>
          <Figure name={texts.answerStreams}>{show("tapeline_agent_streams")}</Figure>
          <Figure name={texts.notificationStreams}>{show("tapeline_bell_streams")}</Figure>
          <Figure name={texts.sweepLag}>
            {sweepLagMs === undefined ? "–" : texts.seconds(figure(Math.round(sweepLagMs / 100) / 10))}
          </Figure>
          <Figure name={texts.wrongTokens}>{show("tapeline_admin_failed_attempts")}</Figure>
        </Figures>
        <p className="soft small">{texts.since}</p>
      </div>
    </Panel>
  )
}

const labelText = ({ labels }: Sample): string =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(" ")

/**
 * Returns the samples that match a search, without the buckets of histograms. Without a search, returns only the
 * samples whose value is not 0.
 */
const findSamples = (samples: ReadonlyArray<Sample>, search: string): ReadonlyArray<Sample> => {
  const words = search.toLowerCase().split(/\s+/u).filter((word) => word !== "")
  return samples.filter((sample) => {
    if (sample.name.endsWith("_bucket")) return false
    const text = `${sample.name} ${labelText(sample)}`.toLowerCase()
    return words.length === 0 ? sample.value !== 0 : words.every((word) => text.includes(word))
  })
}

const AllMetrics = ({ samples }: { readonly samples: ReadonlyArray<Sample> }) => {
  const texts = useTexts(healthTexts)
  const { figure } = useNumbers()
  const [search, setSearch] = useState("")
  const rows = useMemo(() => findSamples(samples, search), [samples, search])
  const columns = useMemo((): ReadonlyArray<DataColumn<Sample>> => [
    {
      id: "metric",
      title: texts.metric,
      isHead: true,
      order: ({ name }) => name,
      cell: (sample) => (
        <>
          <code className={styles["breakable"]}>{sample.name}</code>
          <span className={lists["under"]}>
            <code className={styles["breakable"]}>{labelText(sample)}</code>
          </span>
        </>
      )
    },
    {
      id: "labels",
      title: texts.labels,
      isMinor: true,
      order: labelText,
      cell: (sample) => <code>{labelText(sample)}</code>
    },
    {
      id: "value",
      title: texts.value,
      isNumber: true,
      order: ({ value }) => value,
      cell: ({ value }) => figure(value)
    }
  ], [texts, figure])
  return (
    <Panel isFlush title={texts.all} aside={<SearchInput label={texts.search} value={search} onChange={setSearch} />}>
      <DataTable
        label={texts.all}
        rows={rows}
        columns={columns}
        rowId={(sample) =>
          `${sample.name} ${labelText(sample)}`}
        empty={<EmptyState title={texts.noMetrics} />}
      />
    </Panel>
  )
}

/** The readiness and the metrics of the process that answers the requests. */
export const HealthPage = () => {
  const texts = useTexts(healthTexts)
  const { refresh } = useTexts(widgetTexts)
  const metrics = useAdminRequest(
    ["metrics"],
    async (client, options) => ({ samples: parseMetrics(await client.metrics(options)) }),
    { refreshMs, freshMs: 2_000 }
  )
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={metrics.state === "loaded" && (
          <Button isBusy={metrics.isFetching} onPress={metrics.refresh}>{refresh}</Button>
        )}
      >
        {texts.lead}
      </PageHeader>
      <ReadinessPanel />
      <RequestView request={metrics}>
        {({ samples }) => (
          <>
            <KeyFigures samples={samples} />
            <AllMetrics samples={samples} />
          </>
        )}
      </RequestView>
    </>
  )
}
