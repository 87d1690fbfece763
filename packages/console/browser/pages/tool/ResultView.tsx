import type { ToolAnswer } from "@tapeline/client"
import { useMemo } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Code } from "../../widgets/Code.tsx"
import { Badge, Panel } from "../../widgets/layout.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { type ResultShape, toResultShape } from "./resultShape.ts"
import { TableView } from "./TableView.tsx"
import { toolTexts } from "./texts.ts"
import styles from "./ToolPage.module.css"
import { Tree } from "./Tree.tsx"
import { Value } from "./Value.tsx"

const ResultFacts = ({ facts }: Pick<ResultShape, "facts">) => {
  const numbers = useNumbers()
  return (
    <dl className={styles["facts"]}>
      {facts.map(({ path, value }) => (
        <div key={path} className={typeof value === "string" && value.length > 60 ? styles["wide"] : ""}>
          <dt>{path}</dt>
          <dd>
            <Value name={path} value={value} numbers={numbers} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns the URL and the alternative text of the chart in a result of `make_chart`, or undefined for other tools. */
const findChart = ({ data, tool }: ToolAnswer): { readonly url: string; readonly alt: string } | undefined =>
  tool === "make_chart" && typeof data === "object" && data !== null && "url" in data && "alt" in data
    ? { url: String(data.url), alt: String(data.alt) }
    : undefined

const ResultContent = ({ answer }: { readonly answer: ToolAnswer }) => {
  const { facts, trees, tables } = useMemo(() => toResultShape(answer.data), [answer.data])
  const chart = findChart(answer)
  return (
    <div className="column gap-5">
      {chart !== undefined && <ChartImage alt={chart.alt} chart={chart.url} />}
      {facts.length > 0 && <ResultFacts facts={facts} />}
      {tables.map((table) => <TableView key={table.path} table={table} />)}
      {trees.map(({ path, value }) => <Tree key={path} name={path} value={value} />)}
    </div>
  )
}

export const ResultView = ({ answer }: { readonly answer: ToolAnswer }) => {
  const texts = useTexts(toolTexts)
  const numbers = useNumbers()
  return (
    <Panel
      title={texts.result}
      aside={
        <span className={styles["cost"]}>
          <Badge>{texts.took(numbers.integer(answer.took_ms))}</Badge>
          <Badge variant="tape">{texts.used(answer.credits_used)}</Badge>
        </span>
      }
    >
      <TabPanels
        label={texts.result}
        panels={[
          { name: "view", title: texts.view, content: <ResultContent answer={answer} /> },
          { name: "tree", title: texts.tree, content: <Tree name="data" value={answer.data} /> },
          {
            name: "json",
            title: texts.json,
            content: <Code label={texts.json} text={JSON.stringify(answer, null, 2)} />
          }
        ]}
      />
    </Panel>
  )
}
