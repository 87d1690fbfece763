import { SearchX, Wrench } from "lucide-react"
import { useMemo } from "react"
import { useCatalogue } from "../../asking/useCatalogue.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { filled } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { PageHead, Panel } from "../../widgets/parts.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import { areaNames } from "./areas.ts"
import { findTools, type Tool } from "./find.ts"
import styles from "./ToolsPage.module.css"
import { toolsWords } from "./words.ts"

const hrefOf = ({ name }: Tool): string => filled("/tools/:name", { name })
const idOf = ({ name }: Tool): string => name

const useColumns = (): ReadonlyArray<DataColumn<Tool>> => {
  const says = useWords(toolsWords)
  const { language } = useLanguage()
  return useMemo(() => [
    {
      id: "name",
      title: says.name,
      isHead: true,
      order: ({ name }) => name,
      cell: ({ name, summary }) => (
        <>
          <code className={styles["name"]}>{name}</code>
          <span className={styles["under"]} lang="en">{summary}</span>
        </>
      )
    },
    { id: "summary", title: says.summary, isMinor: true, cell: ({ summary }) => <span lang="en">{summary}</span> },
    {
      id: "area",
      title: says.area,
      isMinor: true,
      order: ({ area }) => areaNames[area][language],
      cell: ({ area }) => <span className={styles["quiet"]}>{areaNames[area][language]}</span>
    },
    {
      id: "scope",
      title: says.scope,
      isMinor: true,
      order: ({ scope }) => scope ?? "",
      cell: ({ scope }) => <code className={styles["quiet"]}>{scope}</code>
    },
    {
      id: "credits",
      title: says.credits,
      isNumber: true,
      order: ({ credits }) => credits,
      cell: ({ credits }) => credits
    }
  ], [says, language])
}

const Found = ({ tools }: { readonly tools: ReadonlyArray<Tool> }) => {
  const says = useWords(toolsWords)
  const { language } = useLanguage()
  const { query } = useLocation()
  const columns = useColumns()
  const [text, area] = [query.get("search") ?? "", query.get("area") ?? undefined]
  const found = useMemo(() => findTools(tools, { text, area }), [tools, text, area])
  const areas = useMemo(() => [...new Set(tools.map(({ area }) => area))], [tools])
  if (tools.length === 0) return <Empty icon={Wrench} title={says.empty}>{says.emptyMore}</Empty>
  return (
    <>
      <div className={styles["filters"]}>
        <div className={styles["search"]}>
          <SearchInput label={says.search} value={text} onChange={(search) => setQuery({ search })} />
        </div>
        <Chips
          label={says.area}
          chosen={area ?? "all"}
          onChange={(next) => setQuery({ area: next === "all" ? undefined : next })}
          options={[
            { value: "all", label: says.all },
            ...areas.map((value) => ({ value, label: areaNames[value][language] }))
          ]}
        />
      </div>
      <Panel isFlush>
        {found.length === 0
          ? (
            <Empty
              icon={SearchX}
              title={says.none}
              action={<Button onPress={() => setQuery({ search: undefined, area: undefined })}>{says.clear}</Button>}
            >
              {says.noneMore}
            </Empty>
          )
          : <DataTable label={says.title} rows={found} columns={columns} rowId={idOf} href={hrefOf} />}
      </Panel>
      <p className={styles["count"]} role="status">{says.found(found.length)}</p>
    </>
  )
}

/** The catalogue: all tools with their prices, and links to their pages. */
export const ToolsPage = () => {
  const says = useWords(toolsWords)
  const catalogue = useCatalogue()
  return (
    <>
      <PageHead title={says.title}>{says.lead}</PageHead>
      <Told of={catalogue} waiting={<Skeleton lines={12} />}>{({ tools }) => <Found tools={tools} />}</Told>
    </>
  )
}
