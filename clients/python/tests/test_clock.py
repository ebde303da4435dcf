"""The server's clock, by the dates of its answers."""
import unittest
from email.utils import formatdate
from unittest import mock

from couchjobs import Couch

NOON = 1767268800
HOUR = 3600


def told(*answers, late=0):
    """What the client takes the server's time for, after answers that came at once at these moments: (here, the answer's date). Bodies may be late."""
    couch = Couch("http://localhost/queue")
    for here, date in answers:
        clock = [here]
        response = mock.Mock(status=200, read=lambda clock=clock: clock.append(clock[0] + late) or b"{}", getheader=lambda name, date=date: formatdate(date, usegmt=True))
        with mock.patch("http.client.HTTPConnection", return_value=mock.Mock(getresponse=lambda response=response: response)), \
                mock.patch("time.time", lambda clock=clock: clock[-1]):
            couch.send("GET", "")
            now = couch.now()
    return now / 1000


class ClockTest(unittest.TestCase):
    def test_a_server_whose_date_is_a_second_old_and_cut_to_a_second_has_the_clock_of_this_machine(self):
        self.assertEqual(told((NOON + 1.75, NOON)), NOON + 1.75)
        self.assertEqual(told((NOON, NOON), (NOON + 1.75, NOON)), NOON + 1.75)

    def test_the_time_by_a_server_whose_clock_is_an_hour_wrong_is_that_of_its_date(self):
        for wrong in HOUR, -HOUR:
            self.assertEqual(told((NOON, NOON + wrong)), NOON + wrong)
            self.assertEqual(told((NOON, NOON + wrong), (NOON + 0.5, NOON + 1 + wrong)), NOON + 1 + wrong)

    def test_the_time_counts_from_when_the_date_came_and_not_from_the_end_of_a_long_poll(self):
        self.assertEqual(told((NOON, NOON + HOUR), late=15), NOON + HOUR + 15)

    def test_a_clock_that_was_set_right_is_followed(self):
        self.assertEqual(told((NOON, NOON + HOUR), (NOON + 1.75, NOON)), NOON + 1.75)


if __name__ == "__main__":
    unittest.main()
