import type { ToolAnswer } from "@tapeline/client"
import { useMemo } from "react"
import { ChartImage } from "../../widgets/ChartImage.tsx"
import { Code } from "../../widgets/Code.tsx"
import { Badge, Panel } from "../../widgets/parts.tsx"
import { TabPanels } from "../../widgets/TabPanels.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Shape, shapeOf } from "./shape.ts"
import { TableView } from "./TableView.tsx"
import styles from "./ToolPage.module.css"
import { Tree } from "./Tree.tsx"
import { Value } from "./Value.tsx"
import { toolWords } from "./words.ts"

const Facts = ({ facts }: Pick<Shape, "facts">) => {
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

/** The address of a chart. Only `make_chart` returns one. */
const chartIn = ({ data, tool }: ToolAnswer): { readonly url: string; readonly alt: string } | undefined =>
  tool === "make_chart" && typeof data === "object" && data !== null && "url" in data && "alt" in data
    ? { url: String(data.url), alt: String(data.alt) }
    : undefined

const View = ({ answer }: { readonly answer: ToolAnswer }) => {
  const { facts, rest, tables } = useMemo(() => shapeOf(answer.data), [answer.data])
  const chart = chartIn(answer)
  return (
    <div className={styles["view"]}>
      {chart !== undefined && <ChartImage alt={chart.alt} chart={chart.url} />}
      {facts.length > 0 && <Facts facts={facts} />}
      {tables.map((table) => <TableView key={table.path} table={table} />)}
      {rest.map(({ path, value }) => <Tree key={path} name={path} value={value} />)}
    </div>
  )
}

/** The result of a call, and its cost. */
export const ResultView = ({ answer }: { readonly answer: ToolAnswer }) => {
  const says = useWords(toolWords)
  const numbers = useNumbers()
  return (
    <Panel
      title={says.result}
      aside={
        <span className={styles["cost"]}>
          <Badge>{says.took(numbers.whole(answer.took_ms))}</Badge>
          <Badge look="tape">{says.used(answer.credits_used)}</Badge>
        </span>
      }
    >
      <TabPanels
        label={says.result}
        panels={[
          { name: "view", title: says.view, content: <View answer={answer} /> },
          { name: "tree", title: says.tree, content: <Tree name="data" value={answer.data} /> },
          { name: "json", title: says.json, content: <Code label={says.json} text={JSON.stringify(answer, null, 2)} /> }
        ]}
      />
    </Panel>
  )
}
