"""The wordings of the everyday grammar in `own`.

A meaning is a line of Korean wordings and a line of English ones; the two lines after it that
begin with a question mark hold the question that it answers. A particle in brackets takes
the form that the word before it asks for.
"""

from __future__ import annotations

MEANINGS = """
{appliance} 사용법 알려줘 | {appliance}(은) 어떻게 쓰는 거야? | {appliance} 사용 방법이 궁금해요 | {appliance} 사용법 설명 부탁드립니다 | {appliance} 어떻게 사용하나요?
how do I use the {appliance}? | tell me how to use the {appliance} | please explain how the {appliance} is used | I'd like to know how to operate the {appliance}
{appliance}(이) 안 켜져. 어떻게 고쳐? | {appliance} 전원이 들어오지 않는데 해결 방법이 있나요? | {appliance}(이) 켜지지 않습니다. 조치 방법을 알려 주세요. | {appliance} 전원이 안 들어올 때 어떻게 해야 돼?
the {appliance} won't turn on. How do I fix it? | what should I do when the {appliance} does not switch on? | my {appliance} has no power; how can I repair it?
{appliance}에서 이상한 소리가 나 | {appliance}에서 소음이 심하게 나요 | {appliance} 소음이 심해졌습니다 | {appliance} 돌릴 때 이상한 소리가 들림
the {appliance} is making a strange noise | there is an odd sound coming from the {appliance} | my {appliance} has become noisy
{appliance} 청소는 얼마나 자주 해야 해? | {appliance} 청소 주기 알려주세요 | {appliance}(은) 몇 달에 한 번 청소하면 되나요? | {appliance} 청소를 얼마나 자주 해야 하는지 궁금해요
how often should I clean the {appliance}? | tell me how often the {appliance} needs cleaning | what is the cleaning interval for the {appliance}?
{appliance} 전기 요금 얼마나 나와? | {appliance}(을) 계속 틀어 두면 전기세가 얼마나 되나요? | {appliance} 전기 사용량이 궁금해 | {appliance} 소비 전력을 알려 주세요
how much electricity does the {appliance} use? | what does running the {appliance} cost in electricity? | I wonder how much power the {appliance} consumes
{gadget}(이) 고장 났어 | {gadget}(이) 망가져서 안 돼요 | {gadget} 고장으로 수리 필요 | {gadget}(이) 작동하지 않습니다
my {gadget} is broken | the {gadget} has stopped working | the {gadget} needs to be repaired
{gadget} 새로 샀어, {price} 줬어 | {price} 주고 {gadget}(을) 샀어요 | {gadget} 구입, 가격은 {price} | 새 {gadget}(을) {price}에 구매했습니다
I bought a new {gadget} for {price} | I paid {price} for a new {gadget} | the new {gadget} cost me {price}
? {gadget} 얼마 주고 샀지? | {gadget} 가격이 얼마였어요? | 새로 산 {gadget}(은) 얼마였나요?
? how much did I pay for the {gadget}? | what did my new {gadget} cost? | what was the price of the {gadget} I bought?
{past} {gadget}(을) 바꿨어 | {past} {gadget}(을) 새것으로 교체했어요 | {past} {gadget} 교체함 | {gadget}(은) {past} 새걸로 바꿨습니다
I replaced my {gadget} {past} | I got a new {gadget} {past} | my {gadget} was replaced {past}
? {gadget} 언제 바꿨지? | {gadget}(을) 교체한 게 언제예요? | 내가 언제 {gadget}(을) 새로 바꿨더라?
? when did I replace my {gadget}? | when did I get my new {gadget}? | do you remember when I changed the {gadget}?
{appliance} 중에 어떤 제품이 좋아? | {appliance} 추천해 줘 | 괜찮은 {appliance} 추천 부탁드려요 | {appliance}(을) 사려는데 뭐가 좋을까요?
which {appliance} should I buy? | recommend me a good {appliance} | can you suggest a decent {appliance}?
{food}(이랑) {food2} 중에 뭐가 더 나아? | {food}(과) {food2} 중 어느 쪽이 더 좋을까요? | {food}(이) 나아, {food2}(이) 나아? | {food}(과) {food2}(을) 비교해 주세요. 어느 게 더 좋나요?
which is better, {food} or {food2}? | compare {food} and {food2}: which is better? | would you go for {food} or {food2}?
{city}(이랑) {city2} 중에 어디가 더 살기 좋아? | {city}(과) {city2} 중 살기 좋은 곳은 어디인가요? | 살기에는 {city}(이) 나을까, {city2}(이) 나을까?
which is the better place to live, {city} or {city2}? | is {city} or {city2} nicer to live in? | between {city} and {city2}, where is life better?
{tool}(이랑) {tool2} 중에 뭘 먼저 배우는 게 좋아? | {tool}(과) {tool2} 중 어느 것을 먼저 배워야 하나요? | {tool}부터 배울까 {tool2}부터 배울까 고민이야
should I learn {tool} or {tool2} first? | which one should I start with, {tool} or {tool2}? | I can't decide whether to learn {tool} or {tool2} first
{vehicle}(이) 빨라, {vehicle2}(이) 빨라? | {vehicle}(과) {vehicle2} 중 어느 게 더 빠른가요? | {vehicle}(이랑) {vehicle2} 중에 뭐가 더 빨리 도착해?
which is faster, the {vehicle} or the {vehicle2}? | do I get there sooner by {vehicle} or by {vehicle2}? | is the {vehicle} quicker than the {vehicle2}?
{city} {climate} 알려줘 | {city}의 {climate}(이) 얼마나 되나요? | {city} {climate}(이) 어떻게 돼? | {city}의 {climate}(이) 궁금합니다
tell me the {climate} in {city} | what is the {climate} in {city}? | I'd like to know the {climate} of {city}
{season}에 {city} 날씨 어때? | {city}의 {season} 날씨가 궁금해요 | {city}(은) {season}에 날씨가 어떤가요? | {season} {city} 날씨 좀 알려줘
what is the weather like in {city} in {season}? | how is the weather in {city} during {season}? | tell me about {city} weather in {season}
{future} {city}에 {sky} 예보 있어? | {future} {city}에 {sky} 예보가 있나요? | {city}에 {future} {sky} 소식 있어?
is there a forecast of {sky} for {city} {future}? | does the forecast say {sky} in {city} {future}? | will {city} get {sky} {future}?
{past} {city}에서 {sky} 때문에 고생했어 | {past} {sky} 때문에 {city}에서 힘들었어요 | {city}에서 {past} {sky}(으로) 애를 먹었다
I had a hard time in {city} {past} because of {sky} | {sky} gave me trouble in {city} {past} | {past} {sky} made things difficult for me in {city}
{storm} 때문에 비행기가 결항됐어 | {storm}(으로) 항공편이 취소됐어요 | {storm}(으로) 인해 비행기가 뜨지 못했습니다
the flight was cancelled because of {storm} | our plane could not take off due to {storm} | {storm} led to the flight being cancelled
{chore}하는 거 잊지 마 | 꼭 {chore}해야 해, 기억해 | {chore} 잊지 말고 챙겨 주세요 | {chore} 꼭 할 것 | {chore} 잊지 않도록 알려줘
don't forget to {chore} | remember to {chore} | be sure to {chore} | remind me to {chore}
{future} {chore}하라고 알려줘 | {future} {chore}할 것 | {future} {chore}해야 하니까 알림 부탁해요 | {future} {chore} 알림을 설정해 주세요
remind me to {chore} {future} | set a reminder to {chore} {future} | {future} I have to {chore}, so please remind me
? {future} 뭐 해야 하지? | {future} 할 일이 뭐였죠? | {future} 내가 하기로 한 게 뭐더라?
? what do I have to do {future}? | what is on my to-do list {future}? | what was I supposed to do {future}?
{past} {chore}했어 | {past} {chore}(을) 마쳤어요 | {chore}(은) {past} 이미 했습니다 | {past} {chore} 완료
I managed to {chore} {past} | I was able to {chore} {past} | {past} I took the time to {chore}
? {chore} 언제 했더라? | {chore}(을) 언제 했죠? | 내가 {chore}한 게 언제였지?
? when did I {chore}? | do you know when I managed to {chore}?
{ban}하지 마 | {ban}하지 마세요 | {ban}(은) 안 했으면 좋겠어 | {ban} 금지 | {ban}(은) 삼가 주시기 바랍니다 | {ban}(은) 절대 안 돼
don't {ban} | please do not {ban} | I'd rather you didn't {ban} | never {ban}
앞으로 {ban}(은) 안 하기로 했어 | 이제 {ban}하지 않겠다고 다짐했어요 | {ban}하지 않기로 결심함 | 다시는 {ban}하지 않으려고 해
I've decided not to {ban} any more | I promised myself not to {ban} again | from now on I won't {ban}
나갈 때 {bring} 챙겨 | {bring} 꼭 가지고 나가세요 | 외출할 때 {bring} 잊지 마 | 나가기 전에 {bring} 챙기는 거 기억해
take {bring} when you go out | don't forget {bring} when you leave | remember to bring {bring} when you head out
{clock}에 깨워 줘 | {clock} 알람 맞춰 줘 | {clock}에 알람 설정 부탁드립니다 | {clock}에 일어나게 알람 켜 주세요
wake me up at {clock} | set an alarm for {clock} | please set my alarm to {clock}
{clock} 알람 꺼 줘 | {clock} 알람 취소해 주세요 | {clock}에 맞춰 둔 알람은 지워 줘
turn off the {clock} alarm | cancel the alarm set for {clock} | please delete my {clock} alarm
{weekday} {clock}에 {event} 있어 | {event}(은) {weekday} {clock}(이에요) | {weekday} {clock} {event} | {event}(이) {weekday} {clock}에 잡혀 있습니다
the {event} is on {weekday} at {clock} | I have a {event} on {weekday} at {clock} | {weekday}, {clock}: {event}
? {event} 언제야? | {event}(이) 무슨 요일 몇 시죠? | {event} 시간이 언제였는지 알려줘 | {event} 일정이 어떻게 되나요?
? when is the {event}? | what day and time is the {event}? | tell me when my {event} is
{event}(이) {date}에서 {date2}(으로) 바뀌었어 | {event} 날짜가 {date2}(으로) 변경됐어요. 원래는 {date}이었어요. | {date}에 하려던 {event}(은) {date2}(으로) 옮겨졌습니다
the {event} was moved from {date} to {date2} | the {event} planned for {date} will now be on {date2} | the date of the {event} has changed from {date} to {date2}
? {event}(은) 며칠로 바뀌었지? | {event} 변경된 날짜 알려주세요 | {event} 날짜가 언제로 옮겨졌나요?
? what date was the {event} moved to? | what is the new date of the {event}? | to which day did they change the {event}?
{event}(이) 취소됐어 | {event} 취소됐대요 | {event}(은) 안 하기로 했습니다 | {event} 취소
the {event} has been cancelled | the {event} is off | they called off the {event}
{gather} 장소는 {city}(이야) | {gather}(은) {city}에서 열려요 | {city}에서 {gather}(이) 있습니다
the {gather} takes place in {city} | the {gather} is in {city} | the {gather} will be held in {city}
? {gather} 어디서 해? | {gather} 장소가 어디였죠? | {gather}(은) 어디에서 열리나요?
? where is the {gather}? | where does the {gather} take place? | in which city is the {gather}?
{future} 일정 보여줘 | {future} 무슨 일정 있어? | {future} 잡힌 약속이 있나요? | {future} 스케줄 알려주세요
show me my schedule {future} | what do I have planned {future}? | are there any appointments {future}?
{genre} 틀어 줘 | {genre} 듣고 싶어 | {genre} 좀 재생해 주세요 | {genre} 들려줄래?
play some {genre} | I want to listen to {genre} | could you put on {genre}?
{often} 듣는 {genre} 재생 목록 만들어 줘 | {often} 들을 수 있게 {genre}(을) 모아 주세요 | {genre} 플레이리스트 만들어 줘, {often} 듣게
make a playlist of {genre} that I can hear {often} | put together {genre} for me to listen to {often}
{peer}한테 {doc} 메일로 보내 줘 | {peer}에게 {doc}(을) 이메일로 전송해 주세요 | {doc}(을) 메일에 첨부해서 {peer}에게 보내 줄래?
email the {doc} to my {peer} | send my {peer} the {doc} by e-mail | attach the {doc} to a mail and send it to my {peer}
{peer}한테서 새 메일 왔는지 확인해 줘 | {peer}한테서 온 메일 있어? | {peer}에게서 온 이메일이 있는지 봐 주세요
check whether I have an e-mail from my {peer} | is there any new mail from my {peer}? | have I got mail from my {peer}?
나는 {city}에 살아 | 저는 {city}에 살고 있어요 | 제가 사는 곳은 {city}입니다 | 집은 {city}에 있어
I live in {city} | my home is in {city} | {city} is where I live
? 내가 어디에 살지? | 제가 사는 도시가 어디죠? | 우리 집이 어느 도시에 있더라?
? where do I live? | which city is my home in? | what city do I live in?
나는 {city}에서 태어나서 {city2}에서 자랐어 | 고향은 {city}인데 {city2}에서 컸어요 | {city} 출생, {city2}에서 성장
I was born in {city} and grew up in {city2} | I come from {city} but was raised in {city2} | born in {city}, raised in {city2}
? 내가 어디서 태어났지? | 제 고향이 어디였죠? | 내 고향 기억나?
? where was I born? | what is my home town? | do you remember where I come from?
{past} {city}에서 {city2}(으로) 이사했어 | {city}에 살다가 {past} {city2}(으로) 이사 왔어요 | {past} {city2}(으로) 이사함. 전에는 {city}에 살았음.
I moved from {city} to {city2} {past} | I used to live in {city} but moved to {city2} {past} | {past} we moved to {city2} from {city}
? 이사 오기 전에 어디 살았지? | 예전에는 어느 도시에 살았죠? | {city2} 오기 전에 살던 데가 어디였더라?
? where did I live before {city2}? | which city did I move from? | what was my previous home town?
나는 {job}(이야) | 저는 {job}입니다 | 제 직업은 {job}(이에요) | {job}(으로) 일하고 있어
I am a {job} | I work as a {job} | my job is being a {job}
? 내 직업이 뭐지? | 제가 무슨 일을 하죠? | 내가 뭐 하는 사람이더라?
? what is my job? | what do I do for a living? | what kind of work do I do?
우리 {peer}(은) {job}(으로) {years}째 일해 | {peer} 직업은 {job}(이고) {years} 됐어요 | {peer}(이) {job} 일을 한 지 {years}(이) 됐습니다
my {peer} has worked as a {job} for {years} | my {peer} is a {job} and has been one for {years} | for {years} my {peer} has been a {job}
? {peer} 직업이 뭐였지? | {peer}(은) 무슨 일을 해요? | {peer}(이) 뭐 하는지 기억나?
? what does my {peer} do? | what is my {peer}'s job? | do you remember what my {peer} works as?
우리 집에 {animal} 키워, 이름은 {name}(이야) | {name}(이라)는 {animal}(을) 키우고 있어요 | 제 {animal} 이름은 {name}입니다 | 반려동물은 {animal}, 이름은 {name}
I have a {animal} called {name} | my {animal}'s name is {name} | we keep a {animal} named {name}
? 우리 {animal} 이름이 뭐였지? | 제가 키우는 {animal} 이름이 뭐예요? | 반려동물 이름 기억나?
? what is my {animal}'s name? | what is my pet called? | do you remember the name of our {animal}?
{name}(은) {past} 동물병원에서 주사 맞았어 | {past} {name}(을) 동물병원에 데려가서 주사를 맞혔어요 | {name} 예방 접종, {past} 동물병원에서 완료
{name} got a shot at the vet {past} | I took {name} to the animal clinic for an injection {past} | {past} {name} was vaccinated at the vet's
? {name} 언제 주사 맞았지? | {name} 예방 접종을 언제 했죠? | {name}(이) 병원 간 게 언제더라?
? when did {name} get the shot? | when was {name} vaccinated? | when did I take {name} to the vet?
우리 {elder} 생신은 {date}(이야) | {elder} 생신이 {date}이에요 | {date}(은) {elder} 생신 | {elder} 생신은 {date}입니다
my {elder}'s birthday is {date} | my {elder} has a birthday on {date} | {date} is my {elder}'s birthday
? 우리 {elder} 생신이 언제였지? | {elder} 생신이 며칠이에요? | {elder} 생신 날짜 좀 알려줘 | {elder} 생신 기억해?
? when is my {elder}'s birthday? | what date is my {elder}'s birthday? | do you remember my {elder}'s birthday?
{peer} 생일은 {date}(이야) | {peer} 생일이 {date}이에요 | {date}(은) {peer} 생일이니까 기억해 둬 | {peer} 생일: {date}
my {peer}'s birthday is {date} | my {peer} was born on {date} | remember that {date} is my {peer}'s birthday
? {peer} 생일 언제야? | {peer} 생일이 며칠이었죠? | {peer} 생일 날짜 알려줘
? when is my {peer}'s birthday? | what day was my {peer} born? | tell me the date of my {peer}'s birthday
결혼기념일은 {date}(이야) | 우리 결혼기념일이 {date}이에요 | {date}에 결혼했어 | 결혼기념일 {date}
our wedding anniversary is {date} | we got married on {date} | {date} is our wedding anniversary
? 우리 결혼기념일 언제지? | 결혼기념일이 며칠이었죠? | 우리가 언제 결혼했더라?
? when is our wedding anniversary? | what date did we get married? | tell me our anniversary date
우리 {elder}(은) {food} 좋아하셔 | {elder}(이) 제일 좋아하시는 음식은 {food}(이에요) | {elder}께서는 {food}(을) 즐겨 드십니다 | {food}(은) {elder}(이) 좋아하시는 음식이야
my {elder} likes {food} | my {elder}'s favourite food is {food} | my {elder} enjoys eating {food}
? {elder}(이) 뭘 좋아하시지? | {elder}(이) 좋아하시는 음식이 뭐였죠? | {elder}(은) 어떤 음식을 즐겨 드셔?
? what does my {elder} like to eat? | what is my {elder}'s favourite food? | which food does my {elder} enjoy?
{peer}(은) {food}(을) 못 먹어 | {peer}(이) {food}(을) 안 먹어요 | {peer}(은) {food}(을) 싫어합니다 | {peer} 음식에 {food}(은) 빼야 함
my {peer} doesn't eat {food} | my {peer} can't stand {food} | {food} should be left out for my {peer}
? {peer}(이) 못 먹는 음식이 뭐지? | {peer}(은) 뭘 안 먹어요? | {peer}(이) 싫어하는 음식 기억나?
? what does my {peer} not eat? | which food does my {peer} dislike? | is there something my {peer} won't eat?
{peer} 생일에 {gift} 선물했어 | {peer}에게 생일 선물로 {gift}(을) 줬어요 | {peer} 생일 선물은 {gift}(으로) 했습니다
I gave my {peer} {gift} for the birthday | my birthday present for my {peer} was {gift} | for the birthday my {peer} got {gift} from me
? {peer} 생일에 뭐 선물했지? | {peer}한테 준 생일 선물이 뭐였죠? | 내가 {peer} 생일에 뭘 줬더라?
? what did I give my {peer} for the birthday? | which birthday present did I get my {peer}? | what was my birthday gift to my {peer}?
{elder}(이) {gift}(을) 갖고 싶어 하셔 | {elder}(이) {gift}(을) 사 달라고 하셨어요 | {elder}께서 {gift}(을) 받고 싶다고 하셨습니다
my {elder} would like {gift} | my {elder} said {gift} would be a nice present | what my {elder} wants is {gift}
? {elder} 선물 뭐가 좋을까? | {elder}(이) 갖고 싶어 하신 게 뭐였죠? | {elder}께 뭘 사 드리면 좋아하실까?
? what would be a good present for my {elder}? | what did my {elder} want? | what should I buy for my {elder}?
나 {allergen} 알레르기 있어 | 저는 {allergen} 알레르기가 있어요 | {allergen} 알레르기가 있습니다 | {allergen}에 알레르기 반응이 나타남
I am allergic to {allergen} | I have an allergy to {allergen} | I get an allergic reaction from {allergen}
? 내가 무슨 알레르기가 있지? | 제가 조심해야 하는 알레르기가 뭐죠? | 나 뭐에 알레르기 있어?
? what am I allergic to? | which allergy do I have? | is there anything I am allergic to?
우리 {peer}(이) {allergen} 알레르기가 있어 | {peer}(은) {allergen} 알레르기가 있으니 조심해 주세요 | {peer}: {allergen} 알레르기 주의
my {peer} is allergic to {allergen} | my {peer} has an allergy to {allergen}, so be careful | careful, my {peer} cannot have {allergen} because of an allergy
? {peer}(은) 무슨 알레르기가 있지? | {peer}(이) 조심해야 하는 게 뭐예요? | {peer} 알레르기 기억나?
? what is my {peer} allergic to? | which allergy does my {peer} have? | what must my {peer} avoid?
나는 {drink}보다 {drink2}(이) 더 좋아 | 저는 {drink}보다 {drink2}(을) 더 좋아해요 | {drink}(이랑) {drink2} 중에서는 {drink2} | {drink}보다는 {drink2}(을) 선호합니다
I prefer {drink2} to {drink} | I like {drink2} better than {drink} | between {drink} and {drink2} I choose {drink2}
? 나는 {drink}(이랑) {drink2} 중에 뭘 더 좋아하지? | 제가 {drink}(과) {drink2} 중에 뭘 선호하죠? | 내가 {drink2}(을) 더 좋아했나, {drink}(을) 더 좋아했나?
? do I prefer {drink} or {drink2}? | which do I like better, {drink} or {drink2}? | {drink} or {drink2}: what is my preference?
요즘 {drink} 끊었어 | {drink}(은) 이제 안 마셔요 | 건강 때문에 {drink}(을) 끊었습니다 | {drink} 끊는 중
I have given up {drink} | I don't drink {drink} any more | I stopped drinking {drink} for my health
{often} {drink} 한 잔 마셔 | {often} {drink}(을) 한 잔씩 마셔요 | {drink} 한 잔, {often} 마시는 습관이 있다
I have a glass of {drink} {often} | I drink a cup of {drink} {often} | {often} I drink some {drink}
나는 {film} 좋아해 | 저는 {film}(을) 즐겨 봐요 | 제 취향은 {film} 쪽입니다 | {film}(이) 제일 재미있더라
I like {film} | I enjoy {film} | my taste runs to {film} | {film} are what I like best
{film}(은) 별로야 | {film}(은) 취향이 아니에요 | {film}(을) 좋아하지 않습니다 | {film}(은) 재미없더라
I don't care for {film} | {film} are not my thing | I don't enjoy {film}
{film} 추천해 줘 | 재미있는 {film} 좀 알려주세요 | 볼만한 {film} 있을까? | {film} 중에 괜찮은 거 뭐 있어?
recommend some good {film} | can you suggest some interesting {film}? | which {film} are worth my time?
{past} {hobby}(을) 시작했어 | {hobby}(을) {past} 처음 시작했어요 | {past} {hobby}에 입문했습니다
I took up {hobby} {past} | I started {hobby} {past} | {past} I began with {hobby}
? 내가 {hobby}(을) 언제 시작했지? | {hobby}(을) 시작한 게 언제예요? | {hobby} 시작한 때 기억나?
? when did I start {hobby}? | when did I take up {hobby}? | at what point did I begin with {hobby}?
내 취미는 {hobby}(이야) | 저는 {hobby}(을) 좋아해요 | 취미로 {hobby}(을) 즐기고 있어 | 취미: {hobby}
my hobby is {hobby} | I am into {hobby} | I enjoy {hobby} in my free time
? 내 취미가 뭐였지? | 제가 무슨 취미를 즐기죠? | 내가 쉴 때 뭐 하는 거 좋아해?
? what is my hobby? | what do I like doing in my free time? | which hobby do I have?
{future} {city}에 여행 가 | {future} {city}(으로) 여행을 떠날 예정이에요 | {city} 여행, {future} 출발 | {future} {city} 여행 계획이 있습니다
I am travelling to {city} {future} | I plan a trip to {city} {future} | {future} I'm going on a trip to {city}
? {future} 어디로 여행 가지? | {future} 가는 여행지가 어디죠? | {future} 여행 계획이 어디였더라?
? where am I travelling {future}? | what is my destination {future}? | which city am I visiting {future}?
{past} {peer}(이랑) {city}에 다녀왔어 | {past} {peer}(과) 함께 {city} 여행을 했어요 | {peer}(과) {past} {city}에 갔다 옴
I went to {city} with my {peer} {past} | my {peer} and I visited {city} {past} | {past} I took a trip to {city} with my {peer}
? {city}에 누구랑 갔었지? | {past} 누구와 {city}에 다녀왔죠? | {city} 여행 같이 간 사람이 누구더라?
? who did I go to {city} with? | with whom did I visit {city}? | who came along to {city}?
언젠가 {country}에 가 보고 싶어 | {country} 여행이 꿈이에요 | 꼭 한번 {country}에 가 보고 싶습니다 | 가고 싶은 나라: {country}
I want to visit {country} some day | travelling to {country} is my dream | {country} is a country I'd love to see
? 내가 가고 싶어 하는 나라가 어디지? | 제가 꼭 가 보고 싶다고 한 나라가 어디였죠? | 나 어느 나라 가고 싶다고 했어?
? which country do I want to visit? | what country do I dream of seeing? | where did I say I'd like to travel some day?
{country} 비자 필요해? | {country}에 가려면 비자를 받아야 하나요? | {country} 입국할 때 비자가 필요한지 알려 주세요
do I need a visa for {country}? | is a visa required to enter {country}? | tell me whether {country} requires a visa
{city}에서 {city2}까지 얼마나 걸려? | {city}에서 {city2}까지 걸리는 시간이 궁금해요 | {city}에서 {city2}까지 몇 시간 걸리나요? | {city}에서 출발하면 {city2}까지 시간이 얼마나 드나요?
how long does it take from {city} to {city2}? | what is the travel time between {city} and {city2}? | how many hours is it from {city} to {city2}?
집에서 {spot}까지 {local}(으로) {span} 걸려 | {local} 타면 집에서 {spot}까지 {span}이에요 | {spot}까지 {local}(으로) {span} 소요
it takes {span} by {local} from home to the {spot} | the {spot} is {span} away from home by {local} | from home, the {local} needs {span} to reach the {spot}
? 집에서 {spot}까지 얼마나 걸리지? | {spot}까지 가는 데 시간이 얼마나 들어요? | {spot} 가려면 몇 분 걸리더라?
? how long does it take from home to the {spot}? | how far is the {spot} from my home? | how much time do I need to get to the {spot}?
{spot} 어떻게 가? | {spot} 가는 길 좀 알려주세요 | {spot}까지 가는 방법이 궁금합니다 | {spot}(으로) 가려면 어디로 가야 하나요?
how do I get to the {spot}? | could you tell me the way to the {spot}? | please give me directions to the {spot}
근처에 {spot} 있어? | 가까운 {spot} 좀 찾아 줘 | 이 주변에 {spot}(이) 있나요? | 제일 가까운 {spot}(이) 어디예요?
is there a {spot} nearby? | find me the nearest {spot} | where is the closest {spot}?
{spot}(은) {spot2} 바로 옆에 있어 | {spot2} 옆 건물이 {spot}(이에요) | {spot} 위치는 {spot2} 옆입니다
the {spot} is right next to the {spot2} | you will find the {spot} beside the {spot2} | the building next to the {spot2} is the {spot}
? {spot}(이) 어디 있었지? | {spot} 위치 알려주세요 | {spot}(이) 어느 건물 옆이더라?
? where is the {spot}? | tell me where the {spot} is | what is the {spot} next to?
{spot} 몇 시에 문 닫아? | {spot} 영업시간 알려주세요 | {spot}(은) 몇 시까지 하나요? | {spot} 마감 시간이 궁금해
when does the {spot} close? | what are the opening hours of the {spot}? | until what time is the {spot} open?
숙소는 {plus}하고 좋았어 | {plus}해서 만족스러운 숙소였어요 | 숙박 후기: {plus}함, 만족 | {plus}했고 다음에도 묵고 싶어요
we liked our stay: {plus} | {plus}, so we were happy with the place | a good stay; {plus}
{plus}하지만 {minus}했어요 | {minus}한 건 아쉽지만 {plus}했어 | {plus}함. 다만 {minus}함.
{plus}, but {minus} | although {minus}, {plus} | on the plus side {plus}; on the other hand {minus}
{minus}해서 실망했어 | {minus}해서 다시는 안 갈 것 같아요 | {minus}하여 추천하지 않습니다
it was a let-down because {minus} | I won't go back, since {minus} | I can't recommend it: {minus}
{city} 숙소는 역에서 가깝고 {plus}했어 | {city}에서 묵은 곳은 역이 가까운 데다 {plus}했어요 | {city} 숙소 후기: 역 근처, {plus}함
our lodging in {city} was close to the station and {plus} | in {city} we stayed near the station, and {plus}
? {city} 숙소 어땠지? | {city}에서 묵은 데가 어땠어요? | {city} 숙소 후기 기억나?
? how was the lodging in {city}? | what did I think of the place we stayed at in {city}? | do you remember how our stay in {city} was?
{city}에서 {food} 먹었는데 {tasty}했어 | {city}의 식당에서 {food}(을) 먹었는데 {tasty}했어요 | {city} 맛집 후기: {food}, {tasty}함
we had {food} in {city} and {tasty} | at the restaurant in {city} we ate {food}; {tasty} | {food} in {city}: {tasty}
? {city}에서 뭐 먹었지? | {city}에서 먹은 음식이 뭐였죠? | {city} 가서 먹은 거 기억나?
? what did I eat in {city}? | which food did we have in {city}? | do you remember our meal in {city}?
{food} 맛있게 만드는 법 알려줘 | {food} 요리법이 궁금해요 | {food}(은) 어떻게 만들어? | {food} 만드는 방법을 설명해 주세요
how do you make good {food}? | tell me a recipe for {food} | please explain how to make {food}
오늘 점심은 {food} 어때? | 점심으로 {food} 먹을까요? | 점심에 {food} 먹자 | 점심 메뉴로 {food}(을) 제안합니다
how about {food} for lunch? | shall we have {food} for lunch? | let's eat {food} for lunch today
{past} {peer}(이랑) {food} 먹었어 | {past} {peer}(과) {food}(을) 먹으러 갔어요 | {peer}(과) 함께 {past} {food}(을) 먹었습니다
I ate {food} with my {peer} {past} | my {peer} and I had {food} {past} | {past} I went out for {food} with my {peer}
? {past} {peer}(이랑) 뭐 먹었지? | {peer}(과) {past} 먹은 메뉴가 뭐였죠? | {past} {peer} 만나서 뭘 먹었더라?
? what did I eat with my {peer} {past}? | what did my {peer} and I have {past}? | which food did I share with my {peer} {past}?
{bill} {price} 나왔어 | 이번 달 {bill}(은) {price}이에요 | {bill} 이번 달 {price} | 이번 달 {bill}(으로) {price}(이) 나왔습니다
the {bill} is {price} this month | this month's {bill} came to {price} | I owe {price} for the {bill} this month
? 이번 달 {bill} 얼마야? | {bill}(이) 얼마 나왔어요? | 이번 달 {bill}(이) 얼마였지?
? how much is the {bill} this month? | what did this month's {bill} come to? | how much do I owe for the {bill}?
{bill}(은) 매달 말일에 나가 | {bill}(은) 매달 말일에 자동 이체돼요 | {bill} 납부일은 매달 말일입니다
the {bill} is paid on the last day of each month | the due date of the {bill} is the end of each month | the {bill} leaves my account at the end of every month
? {bill} 언제 빠져나가지? | {bill} 납부일이 언제죠? | {bill} 내는 날이 며칠이더라?
? when is the {bill} due? | on which day is the {bill} paid? | when does the {bill} leave my account?
{doc}(은) {keep}에 넣어 뒀어 | {doc}(을) {keep}에 보관했어요 | {doc} 보관 위치: {keep} | {doc}(은) {keep}에 있습니다
I put the {doc} in {keep} | the {doc} is kept in {keep} | you'll find the {doc} in {keep}
? {doc} 어디 뒀지? | {doc}(이) 어디에 있나요? | {doc} 넣어 둔 데가 어디더라?
? where did I put the {doc}? | where is the {doc}? | do you know where I keep the {doc}?
{doc}(을) {weekday}까지 보내기로 했어 | {doc} 마감은 {weekday}이에요 | {weekday}까지 {doc} 제출 | {doc}(은) {weekday}까지 내야 합니다
the {doc} is due by {weekday} | we agreed to send the {doc} by {weekday} | the deadline for the {doc} is {weekday}
? {doc} 언제까지야? | {doc} 마감이 무슨 요일이죠? | {doc}(은) 언제까지 보내야 하나요?
? when is the {doc} due? | what is the deadline for the {doc}? | by which day must I send the {doc}?
이번 프로젝트는 {tool}(으로) 하기로 했어 | 회의에서 {tool}(을) 쓰기로 결정했습니다 | {tool} 사용으로 결론 남 | 우리 팀은 {tool} 쓰기로 정했어요
we decided to use {tool} for this project | the team settled on {tool} in the meeting | the decision is to go with {tool}
? 이번 프로젝트에서 뭐 쓰기로 했지? | 회의에서 어떤 도구를 쓰기로 결정했죠? | 우리 팀이 뭘로 정했더라?
? what did we decide to use for this project? | which tool did the team choose? | what did we settle on in the meeting?
{tool} 대신 {tool2}(을) 쓰기로 했어 | {tool}에서 {tool2}(으로) 갈아타기로 결정했어요 | {tool}(은) 그만 쓰고 {tool2}(으로) 전환합니다
we decided to use {tool2} instead of {tool} | we are switching from {tool} to {tool2} | {tool} is being replaced by {tool2}
? {tool} 대신 뭘 쓰기로 했지? | {tool}에서 무엇으로 바꾸기로 했나요? | {tool} 말고 뭐 쓰기로 결정했더라?
? what did we choose instead of {tool}? | what are we switching to from {tool}? | what is replacing {tool}?
{tool} 설치하는 법 알려줘 | {tool}(은) 어떻게 설치하나요? | {tool} 설치 방법 설명 부탁드립니다 | {tool} 설치가 안 되는데 방법이 궁금해
how do I install {tool}? | explain how to install {tool}, please | tell me the way to set up {tool}
{tool}(을) 쓴 지 {years} 됐어 | {tool}(을) {years} 동안 써 왔어요 | {tool} 경력은 {years}입니다
I have used {tool} for {years} | I've been working with {tool} for {years} | I have {years} of experience with {tool}
? 내가 {tool}(을) 얼마나 썼지? | {tool} 경력이 얼마나 되죠? | 내가 {tool} 쓴 지 몇 년 됐더라?
? how long have I used {tool}? | how much experience do I have with {tool}? | for how long have I been working with {tool}?
{past} {fault}(을) 해결했어 | {fault}(은) {past} 고쳤어요 | {past} {fault} 수정 완료 | {past} {fault}(을) 바로잡았습니다
I fixed the {fault} {past} | the {fault} was resolved {past} | {past} we took care of the {fault}
? {fault} 언제 고쳤지? | {fault}(이) 해결된 게 언제예요? | {fault} 수정한 때가 언제더라?
? when did we fix the {fault}? | when was the {fault} resolved? | do you recall when the {fault} was fixed?
{fault} 원인이 뭐야? | {fault}(이) 왜 생기나요? | {fault} 원인 좀 찾아 줘 | {fault} 발생 이유를 알고 싶습니다
what causes the {fault}? | why does the {fault} happen? | find out the reason for the {fault}
{doc} 검토해 주세요 | {doc} 한번 봐 줘 | {doc} 검토 부탁드립니다 | {doc} 좀 확인해 줄래?
please review the {doc} | could you look over the {doc}? | have a look at the {doc}, would you?
{doc} 세 줄로 요약해 줘 | {doc} 요약 부탁드려요 | {doc} 내용을 간단히 정리해 주세요 | {doc} 핵심만 알려줘
summarise the {doc} in three lines | give me a short summary of the {doc} | tell me just the main points of the {doc}
요즘 {body}(이) 아파 | {body}(이) 계속 아파요 | {body} 통증이 있습니다
my {body} hurts these days | I have pain in my {body} | my {body} has been aching
{past} {limb}(을) 다쳤어 | {past} {limb} 부상을 입었어요 | {past} {limb} 다침 | {past} 운동하다가 {limb}(을) 다쳤습니다
I hurt my {limb} {past} | I injured my {limb} {past} | {past} I had an injury to my {limb}
? 내가 {past} 어디를 다쳤지? | {past} 다친 데가 어디였죠? | {past} 부상당한 부위가 어디더라?
? what did I injure {past}? | which part of my body did I hurt {past}? | where was I injured {past}?
나 {ill} 때문에 힘들어 | 저는 {ill}(을) 앓고 있어요 | {ill} 때문에 고생 중이야 | {ill} 진단을 받았습니다
I have {ill} | I am suffering from {ill} | I was diagnosed with {ill}
? 나 무슨 병 있지? | 제가 진단받은 게 뭐였죠? | 내가 뭐 때문에 병원 다니더라?
? what illness do I have? | what was I diagnosed with? | why do I see the doctor?
{ill}에 뭐가 좋아? | {ill}에 좋은 음식이 궁금해요 | {ill} 있을 때 어떻게 해야 하나요? | {ill}에 도움이 되는 방법 알려줘
what helps with {ill}? | what is good for {ill}? | tell me what to do about {ill}
{often} {pill} 먹어야 해 | {pill}(은) {often} 복용해요 | {often} {pill} 복용 | {often} {pill}(을) 챙겨 먹고 있습니다
I have to take {pill} {often} | I take my {pill} {often} | {often} it is time for my {pill}
? {pill} 언제 먹어야 하지? | {pill}(은) 얼마나 자주 먹나요? | {pill} 복용 시간이 어떻게 돼?
? when do I have to take my {pill}? | how often do I take {pill}? | what is my schedule for {pill}?
{pill}(이랑) {drink} 같이 먹어도 돼? | {pill}(을) 먹을 때 {drink}(을) 마셔도 되나요? | {pill}(과) {drink}(을) 함께 섭취해도 괜찮은지 알려 주세요
can I take {pill} with {drink}? | is it all right to drink {drink} while on {pill}? | tell me whether {pill} and {drink} go together
오늘 너무 {mood}해 | 오늘따라 {mood}하네요 | {mood}한 하루였다 | 오늘은 좀 {mood}했어
I feel so {mood} today | today I am feeling {mood} | I felt {mood} today
{event} 때문에 {worry}해 | {event} 때문에 마음이 {worry}해요 | {event} 생각을 하면 {worry}하다
I feel {worry} because of the {event} | the {event} makes me feel {worry} | thinking of the {event} I feel {worry}
? 왜 {worry}하다고 했지? | 제가 {worry}했던 이유가 뭐였죠? | 내가 뭐 때문에 {worry}했더라?
? why was I feeling {worry}? | what made me feel {worry}? | what was the reason I felt {worry}?
나는 {often} {habit}해 | {often} {habit}(을) 하고 있어요 | {often} {habit}하는 습관이 있습니다 | {often} {habit}하기
I {habit} {often} | {often} I {habit} | it is my habit to {habit} {often}
? 내가 {often} 하는 게 뭐지? | 제가 {often} 하는 습관이 뭐였죠? | 나 {often} 뭐 하더라?
? what do I do {often}? | which habit do I have {often}? | what is it that I do {often}?
{scheme} 신청은 {date}까지 받습니다 | {scheme}, {date}까지 신청 가능 | {scheme} 신청 마감일은 {date}입니다 | {scheme}(은) {date}까지 신청할 수 있어요
applications for the {scheme} are accepted until {date} | you can apply for the {scheme} until {date} | the {scheme} application deadline is {date}
? {scheme} 신청 언제까지야? | {scheme} 마감일이 언제인가요? | {scheme}(은) 언제까지 신청할 수 있나요?
? until when can I apply for the {scheme}? | when is the deadline for the {scheme}? | what is the last day to apply for the {scheme}?
{town}시는 {date}부터 {scheme}(을) 시작합니다 | {date}부터 {town}에서 {scheme}(이) 시행됩니다 | {town} {scheme}, {date} 시작
the {scheme} starts in {town} on {date} | from {date} the city of {town} runs the {scheme} | {town} launches the {scheme} on {date}
? {town} {scheme}(은) 언제 시작해? | {town}의 {scheme} 시작일이 언제인가요? | {town}에서 {scheme}(이) 언제부터 시행되나요?
? when does the {scheme} start in {town}? | what is the starting date of the {scheme} in {town}? | from when does {town} run the {scheme}?
{scheme} 대상은 누구야? | {scheme} 신청 자격이 궁금합니다 | 누가 {scheme}(을) 신청할 수 있나요? | {scheme} 지원 자격 알려주세요
who can apply for the {scheme}? | who is eligible for the {scheme}? | tell me the requirements for the {scheme}
{facility} 공사로 {date}까지 이용할 수 없습니다 | {date}까지 {facility} 이용 불가, 공사 중 | 공사 때문에 {facility}(은) {date}까지 못 써요
the {facility} is closed for construction until {date} | because of building work the {facility} cannot be used until {date} | no access to the {facility} until {date} due to construction
? {facility} 언제까지 공사해? | {facility}(은) 언제부터 다시 쓸 수 있나요? | {facility} 공사가 언제 끝나죠?
? until when is the {facility} closed? | when does the construction at the {facility} end? | how long is the {facility} under construction?
{facility}(은) {clock}부터 문을 엽니다 | {facility} 개방 시간은 {clock}부터예요 | {facility} {clock} 개장
the {facility} opens at {clock} | the {facility} is open from {clock} | opening time of the {facility}: {clock}
? {facility} 몇 시에 열어? | {facility}(은) 몇 시부터 이용할 수 있나요? | {facility} 여는 시간 알려줘
? what time does the {facility} open? | from what time can I use the {facility}? | when does the {facility} open?
{facility}에서는 음식을 드실 수 없습니다 | {facility} 안에서 음식 먹지 마세요 | {facility} 내 음식물 섭취 금지
eating is not allowed in the {facility} | please do not eat inside the {facility} | no food in the {facility}
{past} {spot}에서 {peer}(을) 우연히 만났어 | {spot}에 갔다가 {past} {peer}(을) 마주쳤어요 | {past} {spot}에서 {peer}(과) 마주침
I ran into my {peer} at the {spot} {past} | {past} I met my {peer} by chance at the {spot} | I bumped into my {peer} at the {spot} {past}
? {past} {spot}에서 누구를 만났지? | {past} {spot}에서 우연히 누구를 마주쳤죠? | {spot}에서 {past} 마주친 사람이 누구더라?
? whom did I run into at the {spot} {past}? | who did I meet at the {spot} {past}? | which person did I bump into at the {spot} {past}?
{past} {spot}에서 {lost}(을) 잃어버렸어 | {past} {spot}에 {lost}(을) 두고 왔어요 | {past} {spot}에서 {lost} 분실
I lost {lost} at the {spot} {past} | {past} I left {lost} behind at the {spot} | I forgot {lost} at the {spot} {past}
? {lost} 어디서 잃어버렸지? | {lost}(을) 두고 온 데가 어디였죠? | {lost} 어디서 분실했더라?
? where did I lose {lost}? | where did I leave {lost}? | at which place did I forget {lost}?
{future} {peer}(이랑) {spot}에서 보기로 했어 | {future} {spot}에서 {peer}(을) 만나기로 했어요 | {peer}(과) {spot}에서 약속, {future}
I am meeting my {peer} at the {spot} {future} | my {peer} and I agreed to meet at the {spot} {future} | {future} I'll see my {peer} at the {spot}
? {future} {peer}(을) 어디서 만나기로 했지? | {peer}(과) 만나는 장소가 어디였죠? | {peer}(이랑) 어디서 보기로 했더라?
? where am I meeting my {peer} {future}? | what place did my {peer} and I agree on? | where did I arrange to see my {peer}?
{past} {elder}(을) 모시고 {visit}에 다녀왔어 | {elder}(과) {past} {visit}에 다녀왔어요 | {past} {elder} 모시고 {visit} 방문
I took my {elder} to the {visit} {past} | {past} I went to the {visit} with my {elder} | my {elder} and I went to the {visit} {past}
? {elder} 모시고 언제 {visit}에 갔지? | {elder}(과) {visit}에 간 게 언제였죠? | {elder} 모시고 {visit}에 간 날이 언제더라?
? when did I take my {elder} to the {visit}? | when did my {elder} and I go to the {visit}? | on what occasion did I last go to the {visit} with my {elder}?
{elder}께 전화드려야 해 | {elder}께 안부 전화 드리는 거 잊지 마 | {elder}께 꼭 전화드리세요 | {elder}께 전화하라고 알려줘
I must call my {elder} | don't forget to phone my {elder} | remind me to give my {elder} a call
{elder}(은) {ill} 때문에 병원에 다니셔 | {elder}(이) {ill}(으로) 치료를 받고 계세요 | {elder}께서 {ill} 치료 중이십니다
my {elder} sees a doctor for {ill} | my {elder} is being treated for {ill} | my {elder} goes to the hospital because of {ill}
? {elder}(이) 어디가 편찮으시지? | {elder}(이) 무슨 병으로 치료받고 계시죠? | {elder}(은) 왜 병원에 다니셔?
? what is my {elder} being treated for? | why does my {elder} go to the hospital? | which illness does my {elder} have?
우리 사무실은 {floor}에 있어 | 회사 사무실이 {floor}(이에요) | 사무실 위치는 {floor}입니다
our office is on {floor} | you will find our office on {floor} | the office is located on {floor}
{city}행 {ride} 몇 시에 있어? | {city}(으로) 가는 {ride} 시간 알려주세요 | {city} 가는 {ride}(은) 몇 시에 출발하나요?
what time is the {ride} to {city}? | when does the {ride} for {city} leave? | tell me the departure time of the {ride} to {city}
{city} {ride}표 {price}에 예매했어 | {city} 가는 {ride} 표를 {price}에 샀어요 | {city}행 {ride} 예매 완료, {price}
I booked a {ride} ticket to {city} for {price} | my {ride} ticket to {city} cost {price} | {ride} to {city} booked for {price}
? {city} 가는 표 얼마였지? | {city}행 {ride} 요금이 얼마였죠? | {city} 표 얼마 주고 예매했더라?
? how much was the ticket to {city}? | what did I pay for the {ride} to {city}? | what was the fare to {city}?
거실 {appliance} 켜 줘 | 거실에 있는 {appliance} 좀 틀어 주세요 | 거실 {appliance} 작동시켜 줄래?
turn on the {appliance} in the living room | please switch on the living room {appliance} | start the {appliance} in the living room
거실 {appliance} 꺼 줘 | 거실에 있는 {appliance} 좀 꺼 주세요 | 거실 {appliance} 전원을 내려 줄래?
turn off the {appliance} in the living room | please switch off the living room {appliance} | stop the {appliance} in the living room
외출할 때는 {appliance} 꼭 꺼 | 나가기 전에 {appliance}(을) 꼭 꺼 주세요 | 외출 시 {appliance} 끄기 | {appliance} 켜 놓고 나가지 마
switch off the {appliance} before you go out | don't leave the {appliance} on when you leave | make sure the {appliance} is off before going out
{future} {appliance} 기사님이 오기로 했어 | {future} {appliance} 수리 예약이 있어요 | {appliance} 점검 방문, {future} 예정
someone is coming to repair the {appliance} {future} | the {appliance} repair visit is {future} | {future} a technician will check the {appliance}
? {appliance} 수리 언제 오지? | {appliance} 기사님은 언제 방문하시나요? | {appliance} 고치러 언제 온다고 했지?
? when is the {appliance} being repaired? | when does the technician come for the {appliance}? | when did they say they'd come about the {appliance}?
나는 {season}(이) 제일 좋아 | 저는 {season}(을) 가장 좋아해요 | 일 년 중에 {season}(이) 제일이지
I like {season} best | {season} is my favourite time of the year | my favourite time is {season}
? 내가 제일 좋아하는 때가 언제지? | 일 년 중 제가 가장 좋아하는 시기가 언제였죠? | 내가 언제를 제일 좋아한다고 했지?
? what is my favourite time of the year? | which time of year do I like best? | when did I say the year is at its best?
{hobby} 처음인데 뭘 준비해야 해? | {hobby}(을) 시작하려면 무엇이 필요한가요? | {hobby} 초보인데 준비물 알려주세요
what do I need to start {hobby}? | I'm new to {hobby}; what should I get ready? | tell me what a beginner in {hobby} needs
{peer}(이랑) 싸워서 {gloom}해 | {peer}(과) 다퉈서 마음이 {gloom}해요 | {peer}(과) 말다툼. {gloom}하다.
I feel {gloom} after a fight with my {peer} | my {peer} and I argued, and I feel {gloom} | the quarrel with my {peer} left me {gloom}
{peer}(이) {past} 시험에 합격했어 | {past} {peer}(이) 시험에 붙었어요 | {peer} 시험 합격, {past} 발표
my {peer} passed the exam {past} | {past} my {peer} succeeded in the exam | good news: my {peer} passed the exam {past}
? {peer}(이) 시험에 붙었나? | {peer}(은) 시험에 합격했나요? | {peer} 시험 결과 어떻게 됐지?
? what came of my {peer}'s exam? | how did my {peer}'s exam go? | did my {peer} pass the exam?
"""
