// SPDX-License-Identifier: BSD-3-Clause
// What programs that are not ours read in a profile's exports: node read.mjs
// PACKAGES FOLDER, where FOLDER has p.json, p.pb.gz and p.speedscope.json.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import zlib from 'node:zlib'

const [packages, folder] = process.argv.slice(2).map(p => path.resolve(p))
const need = createRequire(path.join(packages, 'package.json'))
const ours = JSON.parse(fs.readFileSync(path.join(folder, 'p.json'), 'utf8'))
const faults = []

function expect(what, is, should) {
	if (is !== should)
		faults.push(`${what}: ${is}, but ${should} is right`)
}

// How often each function was where a sample is, in events.
function own(event) {
	const sums = new Map()
	for (const sample of ours.samples) {
		const location = ours.locations[ours.stacks[sample.stack][1]]
		const name = ours.functions[location.frames[0][0]].name
		const n = sample.counts[event] * ours.events[event].period
		sums.set(name, (sums.get(name) ?? 0) + n)
	}
	return sums
}

function readPprof() {
	const { Profile } = need('pprof-format')
	const packed = fs.readFileSync(path.join(folder, 'p.pb.gz'))
	const profile = Profile.decode(zlib.gunzipSync(packed))
	const text = i => profile.stringTable.strings[Number(i)]
	const locations = new Map(profile.location.map(l => [Number(l.id), l]))
	const functions = new Map(profile.function.map(f => [Number(f.id), f]))

	expect('events of pprof', profile.sampleType.map(t => text(t.type)).join(),
		ours.events.map(e => e.name).join())
	ours.events.forEach((event, e) => {
		const sums = new Map()
		for (const sample of profile.sample) {
			const leaf = locations.get(Number(sample.locationId[0]))
			const f = functions.get(Number(leaf.line[0].functionId))
			const name = text(f.name)
			sums.set(name, (sums.get(name) ?? 0) + Number(sample.value[e]))
		}
		for (const [name, n] of own(e))
			expect(`pprof: ${event.name} of ${name}`, sums.get(name), n)
	})
	console.log(`pprof-format: ${profile.sample.length} samples`)
}

// The table of speedscope's "Sandwich": total, own, name.
function parseTable(text) {
	const rows = text.split('Symbol Name\n')[1].split('\n').map(s => s.trim())
	const table = new Map()
	for (let i = 0; i + 2 < rows.length; i += 3)
		table.set(rows[i + 2], Number(rows[i + 1].split(' ')[0].replaceAll(',', '')))
	return table
}

async function readSpeedscope() {
	const { chromium } = need('playwright-core')
	const page = path.join(packages,
		'node_modules/speedscope/dist/release/index.html')
	const browser = await chromium.launch({
		executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
	const tab = await browser.newPage()

	tab.on('pageerror', e => faults.push(`speedscope: ${e.message}`))
	tab.on('console', m => m.text().startsWith('Failed') &&
		faults.push(`speedscope: ${m.text()}`))
	await tab.goto('file://' + page)
	await tab.setInputFiles('input[type=file]',
		path.join(folder, 'p.speedscope.json'))
	await tab.getByText('Sandwich').click()
	for (let e = 0; e < ours.events.length; e++) {
		const label = `${ours.events[e].name} (${e + 1}/${ours.events.length})`
		await tab.getByText(label).waitFor()
		await tab.getByText('Symbol Name').waitFor()
		const table = parseTable(await tab.evaluate(() => document.body.innerText))
		for (const [name, n] of own(e))
			if (n)
				expect(`speedscope: ${label} of ${name}`, table.get(name), n)
		await tab.keyboard.press('n')
	}
	console.log(`speedscope: ${ours.events.length} profiles`)
	await browser.close()
}

readPprof()
if (fs.existsSync('/usr/bin/chromium'))
	await readSpeedscope()
else
	console.log('speedscope: not read, as there is no chromium')
faults.forEach(f => console.log(f))
process.exit(faults.length ? 1 : 0)
