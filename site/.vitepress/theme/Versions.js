import { useData, withBase } from "vitepress"
import { defineComponent, h, onMounted, ref } from "vue"

/**
 * Shows the version of the site. On a site that was published with others, a list of the published versions opens the
 * start page of another version.
 */
export const Versions = defineComponent(() => {
  const { theme } = useData()
  const { isPublished, version } = theme.value
  const versions = ref([version])
  onMounted(async () => {
    if (!isPublished) return
    const response = await fetch(withBase("/../versions.json"))
    if (response.ok) versions.value = await response.json()
  })
  const open = (event) => location.assign(withBase(`/../${event.target.value}/`))
  const options = () => versions.value.map((other) => h("option", { key: other, value: other }, other))
  return () =>
    versions.value.length > 1
      ? h("select", { class: "versions", value: version, "aria-label": "Version", onChange: open }, options())
      : h("span", { class: "versions" }, version)
})
