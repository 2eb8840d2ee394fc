#!/usr/bin/env python3
"""Writes pairs.jsonl from sentences with inline marks.

[term|polarity ids]  an aspect: polarity + - 0, then optionally its id
{term|ids}           an opinion and the ids of the aspects it is about
                     (comma separated; empty: about no aspect term)
Opinion terms leave out negations and intensifiers.
"""
import json
import os
import re

RESTAURANT = """
The [lamb chops|+1] were {tender|1} and {juicy|1}, but the [mashed potatoes|-2] came out {lumpy|2}.
We {adored|1,2} the [dumplings|+1] and the [scallion pancakes|+2] but {hated|3} the [line|-3] out front.
The [terrace|+1], unlike the {cramped|2} [dining room|-2], is {lovely|1}.
{Friendly|1} [waiters|+1], {terrible|2} [coffee|-2].
honestly the [ramen|+1] here is {insane|1} and the [staff|+2] couldnt be {nicer|2}
Our [server|-1], who did bring us a {gorgeous|2} [tiramisu|+2] by the way, was {rude|1} from start to finish.
The [fish tacos|-1] that came with the {bright|2}, {tangy|2} [slaw|+2] were not {fresh|1}.
{Great|1} [cocktails|+1] and {great|2} [music|+2], {awful|3} [bathrooms|-3].
Is it too much to ask for {hot|1} [soup|-1] and a {clean|2} [spoon|-2]?
I ordered the [duck|+1] and my wife the [risotto|-2]; mine was {superb|1}, hers {bland|2}.
Both the [hummus|+1] and the [baba ganoush|+2] were {silky|1,2} and {addictive|1,2}.
The [hostess|-1] {ignored|1} us for twenty minutes even though there was nobody at the [bar|0].
[Pizza|+1] was {good|1}, [salad|-2] {soggy|2}, [wine list|+3] {impressive|3}, [prices|-4] {ridiculous|4}.
The [burger|+1] my brother got with the {limp|2} [fries|-2] was actually {excellent|1}.
The [wine|-1] isn't {cheap|1} and the [portions|-2] aren't {generous|2}, yet I {love|3} this [place|+3].
While the [chicken tikka|+1] was {smoky|1} and {delicious|1}, the [naan|-2] arrived {cold|2} and {chewy|2}.
{Disappointed|1} by the [paella|-1], {thrilled|2} by the [sangria|+2].
What I {enjoyed|1} most, apart from the {cozy|2} [booths|+2], was the [lobster bisque|+1].
The [bartender|+1] is a {sweet|1} guy, but the [drinks|-2] he makes are {watery|2}.
{Delicious|1,2} [pho|+1] and [spring rolls|+2] but the [service|-3] is {slow|3}.
been getting [bagels|+1] here for years, they are {soft|1} and always {fresh|1} and the [lox|+2] is {amazing|2}
The [decor|-1] is {tired|1}, the [lighting|-2] {harsh|2}, and yet the [food|+3], cooked by somebody's grandmother in an open [kitchen|0], is {spectacular|3}.
We told the [waitress|-1] twice about the {raw|2} [chicken|-2] and she couldn't have been less {interested|1}.
The [steak|-1] I sent back was {overcooked|1}; the [replacement|-2] was {tough|2}, too.
{Wonderful|1,2,3} [cheese|+1], [olives|+2] and [cured meats|+3]; {stale|4} [crackers|-4].
I can't {recommend|1} the [crab cakes|-1], but the [oysters|+2], which we had with a {crisp|3} [white wine|+3], were {outstanding|2}.
The [noodles|+1] were {springy|1}, the [broth|+2] {rich|2}, the [egg|+3] {perfect|3}. What more do you want?
We did get a [table|0] in the end, but the [waiter|-1] was {snippy|1} with my mom.
The [panna cotta|+1] was the only {good|1} thing we ate; the [mains|-2] were {forgettable|2} and {overpriced|2}.
The [brunch|-1] is {overrated|1} but you should try the [bloody mary|+2] because wow, so {good|2}!
Nobody at our [table|0] finished the {greasy|1} [calamari|-1], though all of us {loved|2} the [dip|+2].
{Attentive|1} but never {pushy|1} [service|+1], {quiet|2} [room|+2], {sublime|3} [scallops|+3].
The [owner|+1], who sat with us at the [bar|0] for a while, is {charming|1} and {funny|1}.
{Avoid|1} the [sushi platter|-1]. The [teriyaki|+2] is {decent|2} and the [gyoza|+3] are {terrific|3}.
As {nice|1} as the [view|+1] is, the [appetizers|-2] were {skimpy|2} and the [bill|-3] was {outrageous|3}.
The [food|-1] was {mediocre|1} at best and the [staff|-2] seemed {annoyed|2} that we'd come in at all
Why is the [guacamole|-1] so {salty|1} and the [salsa|-2] so {sugary|2}??
I {liked|1} the [atmosphere|+1] and so did my friends, but none of us {liked|2} the [curry|-2].
{Love|1} the [patio|+1], {love|2} the [tacos|+2], {hate|3} the [parking|-3].
The [espresso|+1] is {strong|1} without being {bitter|1}, and the {flaky|2} [pastries|+2] come from the [bakery|0] next door.
Our [waiter|+1] stayed {patient|1} with the kids even when they spilled [apple juice|0] all over his {spotless|} shirt.
No {complaints|1} about the [pork belly|+1], but the [rice|-2] was {dry|2} and the [kimchi|-3] {flavorless|3}.
Neither the [pad thai|-1] nor the [green curry|-2] was {spicy|1,2} enough for us.
The [place|-1] is {deafening|1}. The [chairs|-2] are {wobbly|2}. The [dumplings|+3] are {divine|3}. I'll be back.
We've been coming here since my oldest was in a high chair, and while the [menu|0] has hardly changed, the [meatballs|-1] that my mother used to drive an hour for are now {dense|1} and {tasteless|1}, and the new [owner|-2] is {arrogant|2}.
What {saved|1} the night was the [chocolate cake|+1], because the [pasta|-2] before it was {mushy|2}.
The [menu|-1] is {confusing|1} but the [cashier|+2], bless her, was so {helpful|2}.
If you eat [oysters|0], go on a Tuesday; the [happy hour|+1] is a {steal|1} and the [bartenders|+2] are {fun|2}.
the [wings|+1] were {crispy|1} the [sauce|+2] was {fire|2} the [service|-3] was {trash|3}
The [sommelier|+1] steered us away from the {overpriced|2} [Bordeaux|-2] and picked a {lovely|3} [rosé|+3]. A truly {knowledgeable|1} man.
The [bread basket|-1] was {stale|1}, something I'd forgive if the [butter|-2] weren't {rancid|2} as well.
I've had {better|1} [falafel|-1] from a truck, but their [lentil soup|+2] is {comforting|2} and {cheap|2}.
[Service|+1] was {prompt|1}, {courteous|1} and {unobtrusive|1}.
The [ribs|+1], the [brisket|+2] and the [cornbread|+3] are all {excellent|1,2,3}; only the [coleslaw|-4] is a {letdown|4}.
After the {amazing|1} [starters|+1] I expected more from the [main course|-2], which was {boring|2}.
We were seated next to the [kitchen door|0] and the [waitress|+1] {kindly|1} moved us to a {quieter|2} [table|+2].
His [gnocchi|+1] versus my [ravioli|-2]: {pillowy|1} and {light|1} on one plate, {rubbery|2} on the other.
I wouldn't call the [staff|-1] {friendly|1}, and I wouldn't call the [prices|-2] {reasonable|2}.
[Ambience|+1]: {romantic|1}. [Food|-2]: {meh|2}. [Service|-3]: {nonexistent|3}.
You sit by the water with a [glass of prosecco|0] and watch the boats and it's all very {romantic|}, until the [bill|-1] comes, which for {soggy|2} [fish and chips|-2] was {criminal|1}.
Such {generous|1} [portions|+1]! Such {flavorful|2} [jollof|+2]! Such a {grumpy|3} [cashier|-3]!
The [soup of the day|+1] was tomato with basil, {velvety|1} and {warming|1}, and it made up for the {pathetic|2} [side salad|-2].
All we asked for was [tap water|0], and the [waiter|-1] got {defensive|1} about it.
I {regret|1} ordering the [seafood platter|-1], though my daughter still {raves|2} about the [mussels|+2].
{Fresh|1} [fish|+1] grilled over charcoal, {fresh|2} [vegetables|+2], too; just don't expect the [staff|-3] to be {welcoming|3}.
The [delivery|+1] was {quick|1}, the [pizza|+2] was still {hot|2}, and even the [driver|+3] was {polite|3}.
Honestly, the [kebab|+1] at 2 am with that {garlicky|2} [sauce|+2]? {Unbeatable|1}.
They {botched|1} our [reservation|-1], but the [hostess|+2] was so {gracious|2} about it that we stayed, and the [duck confit|+3] is {fabulous|3}.
Nothing but {praise|1} for the [barman|+1], but whoever makes the [empanadas|-2] should know that they are {doughy|2}.
If the [doorman|-1] weren't such a {snob|1} I'd come every week, because nobody in town makes {better|2,3} [negronis|+2] or [martinis|+3].
It's a {pricey|1} [diner|-1] with {skinny|2} [pancakes|-2], but the [hash browns|+3]... omg, so {crunchy|3}.
the [service|-1] though... we waited an hour for {mediocre|2} [nachos|-2] and nobody said sorry. so {unprofessional|1}
The [chef|+1], who came out between [courses|0] to ask about our allergies, was {thoughtful|1} and {kind|1}.
This [bistro|+1] is a {gem|1}: {impeccable|2} [service|+2], {inventive|3} [small plates|+3].
The [tofu|-1] was {slimy|1}, the [eggplant|-2] {oily|2}, and of all things it was the [white rice|+3] that turned out {excellent|3}.
they do [karaoke|0] on fridays but we come because the [bulgogi|+1] is {fantastic|1} & the [owners|+2] are {lovely|2} people
The [ceviche|+1] we ate at that {sticky|2} [table|-2] was, I admit, {brilliant|1}.
{Cold|1} [eggs|-1], {burnt|2} [toast|-2] and a {surly|3} [waiter|-3] - but hey, the [orange juice|+4] was {fresh|4}!
The [dim sum|+1] is {cheap|1} and {cheerful|1}; the [tea|-2] is neither {hot|2} nor {strong|2}.
Compared with the {dreary|1} [cafe|-1] that was here before, the new [tea room|+2] feels {bright|2} and {airy|2}.
I {adore|1} this [bakery|+1]. Their [croissants|+2], their [eclairs|+3], even their [sandwiches|+4] are {flawless|2,3,4}.
Went for my birthday with eight people and I have to say the [lady|+1] who looked after our [table|0], and who had to put up with my {obnoxious|} uncle all night, was {wonderful|1}. We will definately be back.
{Bland|1} [vindaloo|-1], how is that even possible? At least the [mango lassi|+2] was {refreshing|2}.
The [interior|+1], all brass and velvet, is {stunning|1}, the [noise level|-2] {unbearable|2}.
My [omelette|-1] came with [home fries|0] and a side of [toast|0], and it was {runny|1} in the middle.
"""

LAPTOP = """
The [trackpad|+1], next to that {mushy|2} [keyboard|-2], feels {fantastic|1}.
{Great|1} [battery life|+1], {awful|2} [speakers|-2].
Would I buy it again? With that {sharp|1} [screen|+1], sure, but only if they replaced the [hinge|-2], because mine feels {flimsy|2} already.
It [boots up|+1] {fast|1} and the [fan|+2] is {quiet|2}.
I {love|1,2} the [keyboard|+1] and the [display|+2], but I {hate|3} the [webcam|-3].
[Windows 11|-1] is {bloated|1}; [Linux|+2], which I put on it the same evening, runs {smoothly|2}.
The [charger|-1] that comes in the box with this otherwise {elegant|2} [laptop|+2] is {bulky|1}.
why is the [power button|-1] right next to the [delete key|0]?? so {annoying|1}
The [graphics card|+1] is a {beast|1} in [games|0] but the [palm rest|-2] gets {hot|2}.
The [port selection|-1]: {stingy|1}. The [price|-2]: {steep|2}. The [performance|+3]: {stellar|3}.
I don't {like|1} the [screen coating|-1], and I don't {trust|2} the [hinges|-2], but for [email|0] it's {okay|}.
The [support guy|+1] on the phone was {patient|1}, but the [warranty|-2] turned out to be {worthless|2}.
{Solid|1} [build|+1], {crisp|2} [screen|+2], {snappy|3} [SSD|+3]; only the [bezel|-4] looks {dated|4}.
The [mouse|+1] I bought to replace the {jumpy|2} [touchpad|-2] is {accurate|1} and {comfortable|1}.
[battery|-1] is {weak|1}, [cpu|+2] is {strong|2}, [wifi|-3] is {spotty|3}, [webcam|-4] is a {joke|4}
Neither the [USB ports|-1] nor the [card reader|-2] felt {sturdy|1,2}.
The [keys|+1] have a {nice|2} [backlight|+2] and are {comfortable|1} to type on.
im not a {fan|1} of the [chiclet keyboard|-1] but omg the [screen|+2], watched a film on it last nite and it was {unreal|2}
{Impressed|1} with the [speed|+1], not {impressed|2} with the [weight|-2].
The [tablet|+1] is {gorgeous|1}. The [stylus|-2], sold separately, is {overpriced|2} and {laggy|2}.
Out of the box the [bluetooth|-1] was {buggy|1} and the [trackpad|-2] {unresponsive|2}, and yes, I have the latest [drivers|0] installed.
The [camera|+1] on this [phone|0] is {stunning|1}, the [fingerprint reader|-2] {hopeless|2}.
I've owned three of these over the years and every time it's the same story: the [keyboard|+1], which I write novels on, stays {wonderful|1} for ever and the [battery|-2] is {toast|2} after eighteen months.
My old [Chromebook|+1], despite its {ancient|2} [processor|-2], was {reliable|1}.
The [headphones|+1] are {light|1} and the [noise cancelling|+2] is {superb|2}, but the [ear pads|-3] get {sweaty|3} and the [app|-4] is {useless|4}.
Can someone explain to me why, in this day and age, it has such a {grainy|1} [webcam|-1] and such {weak|2} [wifi|-2]?
The [installation|+1] was {easy|1}; the [documentation|-2], written by somebody in a great hurry, was {useless|2}.
{Fast|1} [shipping|+1], {careful|2} [packaging|+2], {cracked|3} [screen|-3].
[Typing|+1] on it is a {joy|1}, [gaming|-2] a {pain|2}.
The [OLED panel|+1] next to my work [monitor|0] looks {incredible|1}, with {deep|2} [blacks|+2] and {vivid|3} [colors|+3].
The [lid|-1] looks {smudgy|1} within minutes, but the [aluminium body|+2] feels {premium|2}.
i wanted to {like|1} this [laptop|-1] but the [screen|-2] is {dim|2} and the [fans|-3] are {loud|3}
The [hard drive|-1] {failed|1} after a month and [tech support|-2] was {clueless|2}.
My [hard disk|-1] {died|1}, the [shop|+2] was {helpful|2}, and the [replacement|+3] works {perfectly|3}.
Two things {bother|1,2} me, the [coil whine|-1] and the [bezels|-2]; two things {delight|3,4} me, the [trackpad|+3] and the [price|+4].
The [strap|-1] on this [watch|0] is {itchy|1}, and the [step counter|-2] is not {accurate|2}.
Everyone told me to get a [MacBook|0], but this [Zenbook|+1] is {lighter|1}, {cheaper|1} and just as {fast|1}.
The [resolution|+1] is {high|1} enough for [photo editing|0] and the [color accuracy|+2] is {excellent|2}.
No idea how much [RAM|0] is in there, but [multitasking|+1] is {effortless|1}.
{Slow|1,2} [startup|-1] and [shutdown|-2], but once it's running the [performance|+3] is {good|3}.
The [touchscreen|-1] is {sluggish|1} when the [battery saver|0] is on.
The [mic|+1] is {clear|1}, the [camera|+2] {sharp|2}, so for [Zoom|0] it's {ideal|}.
The [battery|+1], which even with that {bright|2} [display|+2] at full tilt lasts nine hours, is {phenomenal|1}.
I wish the [arrow keys|-1] weren't so {tiny|1} and the [space bar|-2] so {rattly|2}.
The [laptop|+1] isn't {heavy|1} and the [power brick|+2] isn't {huge|2}, so I carry both all day.
[Setup|+1] was a {breeze|1}, the [manual|+2] {clear|2}, the [cable|-3] too {short|3}.
The [router|+1], with its four {ugly|2} [antennas|-2], is {dependable|1}.
The [sound|+1] from this [soundbar|0] is {full|1} and {warm|1}, the [remote|-2] however feels {cheap|2} and {creaky|2}.
it [charges|+1] {quickly|1} but the [battery|-2] is {empty|2} by noon lol
[Reading|+1] on this [Kindle|0] is {wonderful|1}, [comics|-2] are {unreadable|2}.
Don't be fooled by the {pretty|1} [case|+1]: the [motherboard|-2] inside is {ancient|2} and the [power supply|-3] {dangerous|3}.
The [SSD|+1] I added myself is {quick|1}, the [HDD|-2] they ship it with painfully {slow|2}.
What {frustrates|1} me isn't the [screen|+2], which is {decent|2}, or the [battery|+3], which is {fine|3}; it's the [touchpad|-1].
I bought the [13 inch model|+1] instead of the {clunky|2} [15 inch model|-2] and it's {perfect|1} for travel.
The [printer|-1] {jams|1}, the [ink|-2] is {expensive|2}, and the [app|-3] {crashes|3}.
{Poor|1} [viewing angles|-1], {dull|2} [colors|-2], but for [spreadsheets|0] who cares.
[Flying|+1] the [drone|0] is {easy|1} and the [footage|+2] it brings back is {gorgeous|2}.
The [switches|+1] are {tactile|1} and {satisfying|1}; the [keycaps|-2] feel {greasy|2} after a week; the [price|+3] is {unbeatable|3}.
The [fan noise|-1] would be less {irritating|1} if the [speakers|-2] weren't too {quiet|2} to cover it.
[Apple|-1] should be {ashamed|1} of this [dongle|-2], it's {fragile|2} and {overpriced|2}.
The [sales rep|-1] was {pushy|1}, but I'm {happy|2} with the [machine|+2] and {happy|3} with the [discount|+3].
The [tent mode|+1] is {handy|1} for [movies|0], and the [pen|+2] is {precise|2}!
The [GPU|+1] and the [CPU|+2] are {powerful|1,2}, the [cooling|-3] is {inadequate|3}, so everything throttles.
Got it for my daughter who is starting collage; she {likes|1} the [rose gold finish|+1], I {like|2} the [parental controls|+2], and neither of us {likes|3} the [hinge|-3].
Even though the [camera bump|-1] is {ugly|1}, the [pictures|+2] are so {detailed|2} that I got over it.
The [spacebar|-1] {sticks|1}, the [screen|-2] {flickers|2}, and the [seller|-3] {ignored|3} my emails.
Is the [battery|-1] {great|1}? No. Is the [screen|+2] {great|2}? Oh yes.
I {recommend|1} this [monitor|+1] to anyone: {accurate|2} [colors|+2], {thin|3} [bezels|+3], {sturdy|4} [stand|+4].
the [trackpad|-1] is {garbage|1} so get a [mouse|0], apart from that {nice|2} little [netbook|+2]
These [earbuds|-1] keep {falling out|1}, the [case|+2] is {cute|2} though, and the [sound|+3] is {good|3}.
The [HDMI port|-1] on the left and the [charging port|-2] on the right are both {awkward|1,2} to reach.
The [refresh rate|+1] is {amazing|1}, [scrolling|+2] feels {buttery|2}, and the [brightness|-3]... well, it's not {great|3} outdoors.
{Light|1}, {thin|1} and {stylish|1}, this [ultrabook|+1] puts my {clunky|2} [work laptop|-2] to shame.
[Delivery|+1] took one day, which is {impressive|1}, but the [adapter|-2] was {missing|2} and the [seller|-3] {unreachable|3}.
The [speakers|-1] under the [keyboard|0] sound {hollow|1} and {distant|1}, as if somebody were playing a radio next door.
The [interface|-1] is {cluttered|1}, the [menus|-2] are {cryptic|2}, but dang, the [lens|+3] is {sharp|3}!
{Reasonable|1} [price|+1], {reasonable|2} [specs|+2], {ridiculous|3} amount of [bloatware|-3].
The [chip|+1] compiles my code in half the time, so {quick|1}, and the [chassis|+2] stays {cool|2}.
The [screen protector|-1] was {scratched|1} when I recieved it, but the [phone|+2] itself is {pristine|2} and the [battery health|+3] {excellent|3}.
The [rubber feet|-1] came {loose|1} and the [stickers|-2] on the [palm rest|0] are {hideous|2}.
[Gaming|+1] is {fluid|1} and [rendering|+2] {quick|2}, but the [battery life|-3], as on every machine with a {powerful|4} [GPU|+4], is {abysmal|3}.
The [enter key|-1], which they moved to make room for a {useful|2} [numpad|+2], is now {hard|1} to hit
The {tacky|1} [lights|-1] stay off, but the [mechanical keys|+2], the [volume wheel|+3] and the [wrist rest|+4] are {terrific|2,3,4}.
The [projector|+1], once you get past the {fiddly|2} [menu|-2] and the {whiny|3} [fan|-3], is {brilliant|1}.
Last week's [update|-1] was a {disaster|1}: the [sleep mode|-2] is {broken|2} and the [trackpad gestures|-3] are {erratic|3}.
"""

OTHER = """
The [bed|+1], unlike the {stained|2} [carpet|-2], was {clean|1} and {comfy|1}.
{Lovely|1} [pool|+1], {lovely|2} [garden|+2], {filthy|3} [bathroom|-3].
The [receptionist|+1] who checked us in to that {dingy|2} [room|-2] was an {angel|1}.
The [soles|-1] {wore out|1} in a month but the [leather|+2] still looks {great|2} and the [laces|+3] are {strong|3}.
I {love|1} the [color|+1] of these [sneakers|0] but the [toe box|-2] is {narrow|2}.
The [plot|-1] is {thin|1}, the [dialogue|-2] {wooden|2}, and still the [lead actress|+3], in every single scene, is {mesmerizing|3}.
{Loved|1,2} the [soundtrack|+1] and the [costumes|+2], couldn't {stand|3} the [villain|-3].
The [app|-1] {crashes|1} whenever I open the [calendar|0]; the [widgets|+2] are {pretty|2}, though.
The [brakes|-1] {squeal|1}, the [saddle|-2] is {hard|2}, but on hills the [gears|+3] shift {beautifully|3}.
The [guide|+1], even on a {freezing|2} [bus|-2] with half of us asleep, was {hilarious|1}.
did anyone else think the [ending|-1] was {lazy|1}?? the [first half|+2] was so {tense|2} and {clever|2}
The [air conditioning|-1] in our otherwise {spacious|2} [suite|+2] was {noisy|1}.
What I {disliked|1,2} were the [ads|-1] and the [subscription|-2]; what I {liked|3} was the [dark mode|+3].
The [jacket|+1] is {warm|1}, the [zipper|-2] {cheap|2}, and the [hood|-3], if you have any hair at all, {ridiculous|3}.
Not a {bad|1} [hotel|+1], not a {good|2} [breakfast|-2].
The [director|+1] gets {brilliant|2} [performances|+2] out of a {dull|3} [script|-3]; what a {talent|1}!
The [bike|+1] came with a {bent|2} [rim|-2], yet it's {fast|1}, {nimble|1} and a {pleasure|1} to ride.
[Check-in|-1] was {chaotic|1}, the [elevator|-2] was {broken|2}, the [view|+3] was {breathtaking|3}.
The [blender|+1] is {powerful|1}, sure, but the [lid|-2] {leaks|2} and the [motor|-3] is {deafening|3}.
{Boring|1,2} [characters|-1] and [story|-2], but the [graphics|+3] and [music|+4] are {gorgeous|3,4}.
These [boots|+1], after a week of {painful|2} [breaking in|-2], are {heavenly|1}.
I asked the [front desk|-1] for [towels|0] twice; they were {dismissive|1}.
The [tent|+1] is {roomy|1} and {waterproof|1}, the [poles|-2] {flimsy|2}, the [stakes|-3] {useless|3}.
The [narrator|+1] has a {soothing|2} [voice|+2] and is {perfect|1} for the part.
[map|+1] is {accurate|1}, [voice directions|-2] {robotic|2}, [search|-3] {clunky|3}
The [housekeeping staff|+1] were {discreet|1} and {kind|1}; the [walls|-2], alas, {thin|2}.
My son {hates|1} the [helmet|-1] but {adores|2,3} the [bell|+2] and the [streamers|+3].
Go for the [dinosaurs|+1], my kids thought they were {awesome|1}, but bring your own lunch since the [cafe|-2] is {overpriced|2}
With its {clumsy|1} [jokes|-1] and {cheap|2} [effects|-2], the [sequel|-3] is a {mess|3}.
The [mattress|+1] is {firm|1} and {supportive|1}, the [pillows|-2] aren't {soft|2}, and there's a [minibar|0] under the TV.
"""

POLARITY = {"+": "positive", "-": "negative", "0": "neutral"}
MARK = re.compile(r"\[([^\[\]{}|]+)\|([-+0])(\d*)\]|\{([^\[\]{}|]+)\|([\d,]*)\}")


def parse(line):
    text, at, aspects, opinions, ids, wanted = "", 0, [], [], {}, []
    for m in MARK.finditer(line):
        text += line[at:m.start()]
        at = m.end()
        start = len(text)
        term = m.group(1) or m.group(4)
        assert term == term.strip(), line
        text += term
        span = {"start": start, "end": len(text), "term": term}
        if m.group(1):
            if m.group(3):
                assert m.group(3) not in ids, line
                ids[m.group(3)] = len(aspects)
            aspects.append({**span, "polarity": POLARITY[m.group(2)]})
        else:
            for i in filter(None, m.group(5).split(",")):
                wanted.append((i, len(opinions)))
            opinions.append(span)
    text += line[at:]
    assert not re.search(r"[\[\]{}|]", text), line
    for i, _ in wanted:
        assert i in ids, (i, line)
    links = sorted([ids[i], o] for i, o in wanted)
    for s in aspects + opinions:
        assert text[s["start"]:s["end"]] == s["term"], line
        assert s["start"] == 0 or not text[s["start"] - 1].isalnum(), line
        assert s["end"] == len(text) or not text[s["end"]].isalnum(), line
    return text, aspects, opinions, links


def words(text, punctuation):
    pattern = r"\w+(?:['-]\w+)*" + (r"|[^\w\s]" if punctuation else "")
    return [(m.start(), m.end()) for m in re.finditer(pattern, text)]


def nearest(rec, punctuation, later):
    toks = words(rec["text"], punctuation)

    def span(s):
        hit = [i for i, (a, b) in enumerate(toks) if a < s["end"] and b > s["start"]]
        return hit[0], hit[-1]

    out = []
    for i, a in enumerate(rec["aspects"]):
        a0, a1 = span(a)
        best = None
        for j, o in enumerate(rec["opinions"]):
            o0, o1 = span(o)
            d = o0 - a1 if o0 > a1 else a0 - o1
            key = (d, -j if later else j)
            if best is None or key < best[0]:
                best = (key, j)
        if best:
            out.append([i, best[1]])
    return out


def f1(recs, rule):
    tp = said = gold = 0
    for r in recs:
        p = rule(r)
        tp += sum(x in r["links"] for x in p)
        said += len(p)
        gold += len(r["links"])
    p, q = tp / said, tp / gold
    return p, q, 2 * p * q / (p + q)


def main():
    recs = []
    for domain, block in (("restaurant", RESTAURANT), ("laptop", LAPTOP), ("other", OTHER)):
        for line in block.strip().split("\n"):
            text, aspects, opinions, links = parse(line)
            recs.append({"id": f"pair-{len(recs) + 1:03}", "text": text, "aspects": aspects,
                         "opinions": opinions, "links": links, "meta": {"domain": domain}})
    assert len({r["text"] for r in recs}) == len(recs)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        for r in recs:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")
    domains = [r["meta"]["domain"] for r in recs]
    print("sentences", len(recs), {d: domains.count(d) for d in dict.fromkeys(domains)})
    pols = [a["polarity"] for r in recs for a in r["aspects"]]
    print("aspects", len(pols), {p: pols.count(p) for p in POLARITY.values()})
    print("opinions", sum(len(r["opinions"]) for r in recs))
    print("links", sum(len(r["links"]) for r in recs))
    print("sentences with >=2 aspects and >=2 opinions",
          sum(len(r["aspects"]) > 1 and len(r["opinions"]) > 1 for r in recs))
    print("aspects without opinion", sum(i not in [l[0] for l in r["links"]]
                                         for r in recs for i in range(len(r["aspects"]))))
    print("opinions without aspect", sum(i not in [l[1] for l in r["links"]]
                                         for r in recs for i in range(len(r["opinions"]))))
    for punct in (False, True):
        for later in (False, True):
            p, q, f = f1(recs, lambda r: nearest(r, punct, later))
            print(f"nearest opinion ({'punctuation counts' if punct else 'words only'}, "
                  f"ties to the {'later' if later else 'earlier'}): P {p:.3f} R {q:.3f} F1 {f:.3f}")


main()
